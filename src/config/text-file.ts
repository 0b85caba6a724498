import { readFileSync } from 'node:fs';

/** The text of a file; raises what Node raises, and for what is not UTF-8 too. */
export function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

/** Why a file cannot be read, in few words. */
export function reasonOf(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8' : code;
}
