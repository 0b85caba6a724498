import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs a module in a Node of its own, in the project's folder, beside the built service; resolves with what it prints.
 * jest cannot load a CommonJS package that requires Nest, which is made of ES modules.
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
