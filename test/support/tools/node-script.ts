import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs a module in a separate Node process in the project's folder. Resolves with its output.
 * Jest cannot load a CommonJS package that requires NestJS, which consists of ES modules.
 */
export function runScript(code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', code],
      { cwd: ROOT, env: { PATH: process.env.PATH ?? '' } },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout)),
    );
  });
}
