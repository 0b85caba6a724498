import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { bareEnvironment, DIST } from './build.js';
import type { Env } from './databases.js';
import { preload } from './preload.js';

export const CLI = join(DIST, 'cli.js');

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A key as a command shows it. */
export type Key = Record<string, unknown>;

/** Runs `keys …` as `runCommand` does. */
export function runKeys(env: Env, ...args: string[]): Promise<CommandResult> {
  return runCommand(env, 'keys', ...args);
}

/**
 * Runs a command in the process that all test files share, for tests of its effects and output. The result is what
 * the command's own process would give; loading the modules again would take most of the time.
 */
export async function runCommand(env: Env, ...args: string[]): Promise<CommandResult> {
  const socket = connect(process.env.TEST_COMMAND_SOCKET!);
  socket.end(JSON.stringify({ env: { ...bareEnvironment(), ...env }, args }));
  return (await json(socket)) as CommandResult;
}

/** Runs commands one after the other, as `runCommand` does. */
export async function runCommands(env: Env, cases: readonly string[][]): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  for (const args of cases) results.push(await runCommand(env, ...args));
  return results;
}

/** Runs a command in its own process, for tests of the process and of several at the same time. */
export function runCli(env: Env, ...args: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: { ...bareEnvironment(), ...env }, cwd: tmpdir() };
    execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/**
 * Runs a command that is killed when it writes this to stderr; resolves with the signal that ended it. The process kills
 * itself, because it would run on, maybe to its end, while this one reads its output.
 */
export async function killCliAt(
  env: Env,
  pattern: RegExp,
  ...args: string[]
): Promise<NodeJS.Signals | null> {
  const kill = preload(`
    const { stderr } = process;
    const { write } = stderr;
    stderr.write = (text, ...rest) => {
      if (${String(pattern)}.test(text)) process.kill(process.pid, 'SIGKILL');
      return write.call(stderr, text, ...rest);
    };
  `);
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...bareEnvironment(), ...env, ...kill },
    cwd: tmpdir(),
    stdio: 'ignore',
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** What a command that succeeds writes to stderr: the database that it used. */
export const USED = /^used the (?:embedded )?database [^\n]+\n$/;

/** The JSON value that a command printed with --json: one line on stdout, the database alone on stderr. */
export function printed({ code, stdout, stderr }: CommandResult): Key {
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(USED) });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Key;
}

/** The same for a command that shows several keys. */
export function printedList(result: CommandResult): Key[] {
  return printed(result) as unknown as Key[];
}

/** Expects one line on stderr, an empty stdout and this exit code. Returns the line. */
export function refused({ code, stdout, stderr }: CommandResult, expectedCode = 2): string {
  expect({ code, stdout, oneLine: /^[^\n]+\n$/.test(stderr) || stderr }).toEqual({
    code: expectedCode,
    stdout: '',
    oneLine: true,
  });
  return stderr;
}
