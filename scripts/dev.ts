import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * `npm run dev`: builds, runs the service, and runs it again at every change. The compiler writes nothing while there are type
 * errors, so the old build keeps running until they are fixed. Node restarts the service when a file that it has loaded changes.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Lets an editor finish writing several files before they are built. */
const SETTLE_MS = 100;

if (!build()) process.exit(1);
// Development has no load balancer, so a restart does not wait for one.
const env = { SHUTDOWN_DELAY_MS: '0', ...process.env };
const children = [
  run(
    'node_modules/typescript/bin/tsc',
    '--project',
    'tsconfig.build.json',
    '--watch',
    '--preserveWatchOutput',
  ),
  run('--watch', '--watch-preserve-output', '--enable-source-maps', 'dist/main.js'),
];
// Pages and packages go through the whole build, which copies and compiles what changed.
buildOnChange('src', (path) => !path.endsWith('.ts'));
buildOnChange('docs', (path) => path === 'errors.md');
buildOnChange('packages', (path) => /^[^/\\]+[/\\]src[/\\]/.test(path));
for (const child of children) child.on('exit', stop);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

/** The process ends with its children. */
function stop(): void {
  for (const child of children) child.kill();
}

function build(): boolean {
  return spawnSync('npm run --silent build', { cwd: ROOT, stdio: 'inherit', shell: true }).status === 0;
}

function run(...options: string[]): ChildProcess {
  return spawn(process.execPath, options, { cwd: ROOT, env, stdio: 'inherit' });
}

function buildOnChange(folder: string, concerns: (path: string) => boolean): void {
  let timer: NodeJS.Timeout | undefined;
  watch(`${ROOT}${folder}`, { recursive: true, persistent: false }, (_event, path) => {
    if (path === null || !concerns(path)) return;
    clearTimeout(timer);
    timer = setTimeout(build, SETTLE_MS);
  });
}
