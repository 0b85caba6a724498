import { lstatSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment, completed by the variables of the `.env` file at `path`. Real variables win. Adds a line to
 * `problems` when the file exists but cannot be read.
 *
 * Node's `parseEnv` reads the file. `process.loadEnvFile` does not fit: it changes `process.env`, and a NAME in the file
 * would then conflict with a real NAME_FILE.
 */
export function withDotenv(path: string, env: Environment, problems: string[]): Environment {
  try {
    // Not existsSync: a link to a missing file is a mistake, not an absent file.
    if (!lstatSync(path, { throwIfNoEntry: false })) return env;
    const fromFile = Object.entries(parseEnv(readText(path)));
    return { ...Object.fromEntries(fromFile.filter(([name]) => env[otherForm(name)] === undefined)), ...env };
  } catch (error) {
    problems.push(`.env: expected a readable text file; cannot read it (${readErrorReason(error)})`);
    return env;
  }
}

/** PORT for PORT_FILE and the reverse. */
function otherForm(name: string): string {
  return name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
}

/** The text of a UTF-8 file. @throws Error as Node does, also when the bytes are not UTF-8. */
export function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

/** Why `readText` failed, in a few words without a path. */
export function readErrorReason(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8' : code;
}
