import { type DynamicModule, Global, Module } from '@nestjs/common';
import { FallbackController } from './fallback.controller.js';
import { RouteTable } from './requests/route-scope.js';
import { Links } from './responses/links.js';

/** The route table, links to the service itself, and the controller for unmatched requests. */
@Global()
@Module({})
export class HttpModule {
  static of(routes: RouteTable, links: Links): DynamicModule {
    return {
      module: HttpModule,
      controllers: [FallbackController],
      providers: [
        { provide: Links, useValue: links },
        { provide: RouteTable, useValue: routes },
      ],
      exports: [Links, RouteTable],
    };
  }
}
