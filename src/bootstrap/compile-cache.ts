import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Compiling the same modules again takes a fifth of a start. When the cache cannot be written, the service starts without it. */
export function keepCompiledModules(): void {
  enableCompileCache(
    fileURLToPath(new URL('../../node_modules/.cache/animal-store/compiled', import.meta.url)),
  );
}
