import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/* Compiles TypeScript for Jest in an eighth of the compiler's time. Only files with decorators need the compiler. */
const DECORATED = /^\s*(?:export )?@\w/m;
const OWN_TEXT = readFileSync(fileURLToPath(import.meta.url));

// A worker exits without freeing its heap: that can take longer than the 500 ms after which Jest reports a leak.
// A worker with a leak never emits this event, so Jest still reports it.
process.once('beforeExit', () => process.exit());

interface Options {
  configString: string;
  instrument: boolean;
}

export function getCacheKey(source: string, path: string, { configString, instrument }: Options): string {
  const hash = createHash('sha256').update(OWN_TEXT).update(process.version);
  return hash.update([configString, instrument, path, source].join('\0')).digest('hex');
}

export async function processAsync(source: string, path: string): Promise<{ code: string }> {
  if (!DECORATED.test(source)) {
    return { code: stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: path }) };
  }
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2024,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    useDefineForClassFields: false,
    inlineSourceMap: true,
  };
  return { code: ts.transpileModule(source, { fileName: path, compilerOptions }).outputText };
}

export default { getCacheKey, processAsync };
