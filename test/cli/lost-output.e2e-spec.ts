import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { bareEnvironment } from '../support/build.js';
import { CLI, printed, printedList, USED, type CommandResult } from '../support/command-line.js';
import { anyKind } from '../support/databases.js';
import { sharedService } from '../support/service.js';

const FULL = '/dev/full';

describe('a command whose output is lost', () => {
  const service = sharedService(anyKind);

  /** Runs a command without a reader of this stream, as after `| head`, or with a full disk as its stdout. */
  async function run(lost: 'stdout' | 'stderr' | typeof FULL, ...args: string[]): Promise<CommandResult> {
    const disk = lost === FULL ? openSync(FULL, 'w') : undefined;
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...bareEnvironment(), ...service.env },
      cwd: tmpdir(),
      stdio: ['ignore', disk ?? 'pipe', 'pipe'],
    });
    if (disk !== undefined) closeSync(disk);
    if (lost !== FULL) child[lost]?.destroy();
    const ended = once(child, 'close') as Promise<[number | null]>;
    const read = (stream: typeof child.stdout) => (stream && !stream.destroyed ? text(stream) : '');
    const [[code], stdout, stderr] = await Promise.all([ended, read(child.stdout), read(child.stderr)]);
    return { code: code ?? -1, stdout, stderr };
  }

  const create = (name: string) => ['keys', 'create', '--name', name, '--plan', 'free', '--json'];
  const lostSecret = (id: unknown, why: string) =>
    `The output cannot be written, and the key's secret is lost; keys rotate ${String(id)} gives it another: ${why}\n`;
  const idOf = async (name: string) =>
    printedList(await service.keys('list', '--json')).find((each) => each.name === name)?.id;

  (existsSync(FULL) ? it : it.skip)('fails with one line when nothing more fits on the disk', async () => {
    const noSpace = 'ENOSPC: no space left on device, write';
    const failed = { code: 1, stdout: '', stderr: `The output cannot be written: ${noSpace}\n` };
    expect(await run(FULL, 'keys', '--help')).toEqual(failed);
    const { code, stderr } = await run(FULL, ...create('on a full disk'));
    const lost = lostSecret(await idOf('on a full disk'), noSpace);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(lost) });
  });

  it('succeeds without a reader of its output, but not when a secret is lost', async () => {
    expect(await run('stdout', 'keys', 'list')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(USED),
    });
    const { id } = await service.issue();
    const rotated = await run('stdout', 'keys', 'rotate', id);
    expect(rotated).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(lostSecret(id, 'write EPIPE')),
    });
    expect(printed(await service.keys('show', id, '--json')).revokedAt).toBeNull();
  });

  it('works to its end without a reader of its progress', async () => {
    const { code, stdout } = await run('stderr', 'seed', '--pets', '3000');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^added 3,000 pets .*\n$/) });
  });
});
