import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ends: (() => unknown)[] = [];

/** Makes `cleanUp` end something that this test file starts. It may have ended before. */
export function atCleanUp(end: () => unknown): void {
  ends.push(end);
}

/** Ends everything that is registered, the last first. Runs after each test file, and where a file calls it before. */
export async function cleanUp(): Promise<void> {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}

/** A new folder, which `cleanUp` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  atCleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a program without output, unless `options` say otherwise. `cleanUp` kills it. */
export function start(program: string, args: string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  atCleanUp(() => killProcess(child));
  return child;
}

/** Whether the process has not ended. */
export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Resolves when the process has ended. It may have ended before. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
