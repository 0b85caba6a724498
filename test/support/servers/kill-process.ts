import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';

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
