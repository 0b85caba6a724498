import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

/** Gives every module the one `Config` object, which the entrance has loaded before Nest starts. */
@Global()
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
