import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { utimesSync, watch } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/*
 * `npm run dev`: builds, runs the service, and runs it again at every change. A changed file is compiled and runs at once; its types are
 * checked meanwhile, because checking the whole program takes longer than a start. Node restarts the service when a module
 * that it has loaded changes.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const MAIN = `${ROOT}dist/main.js`;
/** Lets an editor finish writing several files before they are built. */
const SETTLE_MS = 100;
const COMPILER = [
  'node_modules/typescript/bin/tsc',
  '--project',
  'tsconfig.build.json',
  '--watch',
  '--preserveWatchOutput',
];

if (!build()) process.exit(1);
// Development has no load balancer, so a restart does not wait for one.
const env = { SHUTDOWN_DELAY_MS: '0', ...process.env };
const typeCheck = run(...COMPILER, '--noEmit', '--tsBuildInfoFile', 'dist/check.tsbuildinfo');
if (typeCheck.pid !== undefined) setPriority(typeCheck.pid, constants.priority.PRIORITY_LOW);
const children = [
  typeCheck,
  run(...COMPILER, '--noCheck'),
  run('--watch', '--watch-preserve-output', '--enable-source-maps', MAIN),
];
// Pages and packages go through the whole build, which copies and compiles what changed.
buildOnChange('src', (path) => !path.endsWith('.ts'));
buildOnChange('docs', (path) => path.endsWith('.md'));
buildOnChange('packages', (path) => /^[^/\\]+[/\\]src[/\\]/.test(path));
for (const child of children) child.on('exit', stop);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

/** The process ends with its children. */
function stop(): void {
  for (const child of children) child.kill();
}

function build(): boolean {
  const command = 'npm run --silent build -- --noCheck';
  return spawnSync(command, { cwd: ROOT, stdio: 'inherit', shell: true }).status === 0;
}

function run(...options: string[]): ChildProcess {
  return spawn(process.execPath, options, { cwd: ROOT, env, stdio: 'inherit' });
}

function buildOnChange(folder: string, concerns: (path: string) => boolean): void {
  let timer: NodeJS.Timeout | undefined;
  watch(`${ROOT}${folder}`, { recursive: true, persistent: false }, (_event, path) => {
    if (path === null || !concerns(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The service does not load pages as modules, so a change of its entry point restarts it.
      if (build()) utimesSync(MAIN, new Date(), new Date());
    }, SETTLE_MS);
  });
}
