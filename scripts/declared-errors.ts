import { globSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { declaredErrors, type ErrorKind } from '../src/platform/common/errors/error-kind.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** Every error that the features declare in their `*.errors.ts`. */
export async function allErrors(): Promise<ErrorKind[]> {
  for (const path of globSync(`${SRC}**/*.errors.ts`)) await import(pathToFileURL(path).href);
  return declaredErrors();
}
