import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { FallbackController } from './fallback.controller.js';
import { Links } from './responses/links.js';

/** Links to the service itself, and the controller for unmatched requests. */
@Global()
@Module({
  controllers: [FallbackController],
  providers: [
    { provide: Links, inject: [CONFIG], useFactory: ({ publicBaseUrl }: Config) => new Links(publicBaseUrl) },
  ],
  exports: [Links],
})
export class HttpModule {}
