import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/*
 * `npm run check`: every check of package.json in its order, as many side by side as there are cores. What a check prints
 * appears when it ends. All run, and the exit code is 1 when one of them fails.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** `check:install` checks nothing in this tree. */
const OTHERS = new Set(['check:install']);
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

// Several checks build first. Then they find nothing to do and do not get in each other's way.
if (!(await passes('build'))) process.exit(1);
const waiting = Object.keys(scripts).filter((name) => /^check:|:check$/.test(name) && !OTHERS.has(name));
await Promise.all(Array.from({ length: availableParallelism() }, runNext));

async function runNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedMs = performance.now();
    const hasPassed = await passes(name);
    if (!hasPassed) process.exitCode = 1;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${hasPassed ? 'passed' : 'FAILED'} ${name} in ${seconds} s`);
  }
}

function passes(script: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(`npm run --silent ${script}`, { cwd: ROOT, shell: true });
    const printed: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => printed.push(chunk));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code === 0);
    });
  });
}
