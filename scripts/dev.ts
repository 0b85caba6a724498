import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/*
 * `npm run dev`: builds, runs the service, and runs it again at every change. The compiler stays in memory, so that a
 * change costs only the files it affects. Type errors are printed, and the old build keeps running until they are fixed.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Lets an editor finish writing several files before they are built. */
const SETTLE_MS = 100;

let service: ChildProcess | undefined;
let restarting = Promise.resolve();

if (!build()) process.exit(1);
restart();
compileOnChange();
// Pages and packages go through the whole build, which copies and compiles what changed.
buildOnChange('src', (path) => !path.endsWith('.ts'));
buildOnChange('docs', (path) => path === 'errors.md');
buildOnChange('packages', (path) => /^[^/\\]+[/\\]src[/\\]/.test(path));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stop().then(() => process.exit(0)));
}

function build(): boolean {
  return spawnSync('npm run --silent build', { cwd: ROOT, stdio: 'inherit', shell: true }).status === 0;
}

function compileOnChange(): void {
  let wroteFiles = false;
  const system: ts.System = {
    ...ts.sys,
    writeFile(path, text, writeByteOrderMark) {
      wroteFiles ||= path.endsWith('.js');
      ts.sys.writeFile(path, text, writeByteOrderMark);
    },
  };
  const host = ts.createWatchCompilerHost(
    join(ROOT, 'tsconfig.build.json'),
    undefined,
    system,
    ts.createEmitAndSemanticDiagnosticsBuilderProgram,
    undefined,
    (_status, _newLine, _options, errorCount) => {
      if (errorCount !== 0 || !wroteFiles) return;
      wroteFiles = false;
      restart();
    },
  );
  ts.createWatchProgram(host);
}

function buildOnChange(folder: string, concerns: (path: string) => boolean): void {
  if (!existsSync(join(ROOT, folder))) return;
  let timer: NodeJS.Timeout | undefined;
  watch(join(ROOT, folder), { recursive: true }, (_event, path) => {
    if (path === null || !concerns(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (build()) restart();
    }, SETTLE_MS);
  });
}

/** Restarts follow each other: the embedded database belongs to one process at a time. */
function restart(): void {
  restarting = restarting.then(async () => {
    await stop();
    // Development has no load balancer, so a restart does not wait for one.
    const env = { SHUTDOWN_DELAY_MS: '0', ...process.env };
    service = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js'], {
      cwd: ROOT,
      env,
      stdio: 'inherit',
    });
  });
}

async function stop(): Promise<void> {
  if (service?.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, 'exit');
  service.kill();
  await exited;
}
