import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Setting, SETTINGS } from './settings.js';

/** The injection token of the `Config` object. */
export const CONFIG = Symbol('CONFIG');

type ValueOf<Tree> =
  Tree extends Setting<infer Value> ? Value : { readonly [Property in keyof Tree]: ValueOf<Tree[Property]> };

/** Every setting of the environment (settings.ts), validated once at start. Undefined: not set, and no default. */
export type Config = ValueOf<typeof SETTINGS>;

/** Provides the one `Config` object to every module. The entry point loads it before Nest starts. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
