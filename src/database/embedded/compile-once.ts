import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from compiling PGlite's code a second time for speed: that costs hundreds of megabytes and, while
 * it goes on, makes everything slower. `--liftoff-only` itself has no effect once V8 runs; what it implies has.
 */
export function compileOnce(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
