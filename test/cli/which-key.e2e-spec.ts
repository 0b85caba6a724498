import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { displayPrefix, generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { bareEnvironment } from '../support/build.js';
import { CLI, printed, refused, type CommandResult } from '../support/command-line.js';
import { anyKind } from '../support/databases.js';
import { sharedService } from '../support/service.js';

describe('a command on a key', () => {
  const service = sharedService(anyKind);

  const create = async (name: string) => {
    const { id, key } = await service.issue({ name, plan: 'free' });
    return { id, key, prefix: displayPrefix(key) };
  };
  const rotate = async (which: string, overlap: string) =>
    printed(await service.keys('rotate', which, '--overlap', overlap, '--json')) as {
      key: string;
      id: string;
    };

  /** Runs `keys find` with this standard input. */
  async function find(input: string, ...args: string[]): Promise<CommandResult> {
    const env = { ...bareEnvironment(), ...service.env };
    const child = spawn(process.execPath, [CLI, 'keys', 'find', ...args], { env, cwd: tmpdir() });
    child.stdin.on('error', () => undefined).end(input);
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, stdout, stderr };
  }

  it('takes its id, how its secret begins, or its name', async () => {
    const name = `the one ${randomUUID()}`;
    const { id, prefix } = await create(name);
    for (const which of [id, id.toUpperCase(), prefix, name])
      expect(printed(await service.keys('show', which, '--json'))).toMatchObject({ id });
    expect(printed(await service.keys('set-plan', name, 'pro', '--json'))).toMatchObject({ id, plan: 'pro' });
    expect(await rotate(prefix, '1h')).toMatchObject({ id });
    // The prefix of the older secret.
    expect(printed(await service.keys('set-expiry', prefix, '90d', '--json'))).toMatchObject({ id });
    expect(printed(await service.keys('unban', name, '--json'))).toMatchObject({ id });
    expect(printed(await service.keys('revoke', name, '--json'))).toMatchObject({ id, state: 'revoked' });
  });

  it('changes nothing when several keys have the name, and names them', async () => {
    const name = `two ${randomUUID()}`;
    const both = [await create(name), await create(name)];
    const line = refused(await service.keys('revoke', name));
    for (const { id, prefix } of both) {
      expect(line).toContain(`${id} (${prefix})`);
      expect(printed(await service.keys('show', id, '--json'))).toMatchObject({ revokedAt: null });
    }
    // A name may look like the prefix of another key.
    const { prefix } = both[0]!;
    await create(prefix);
    expect(refused(await service.keys('show', prefix))).toContain('2 keys');
    await create(name);
    for (let count = 0; count < 3; count += 1) await create(name);
    expect(refused(await service.keys('show', name))).toMatch(/^6 keys .*, and 1 more \(.+\)$/m);
  });

  it('finds the key of a secret, of an older and of an ended one, also when it is revoked, and of its first characters', async () => {
    const { id, key } = await create('leaked');
    const second = await rotate(id, '1h');
    const third = await rotate(id, '0s');
    await service.keys('revoke', id);
    for (const input of [
      key,
      `${second.key}\n`,
      ` ${third.key}\r\n`,
      displayPrefix(key),
      displayPrefix(third.key),
    ])
      expect(printed(await find(input, '--json'))).toMatchObject({ id, state: 'revoked' });
    expect((await find(key)).stdout).toContain(id);
  });

  it('refuses everything else in one line that repeats no secret', async () => {
    const unknown = generateApiKey();
    const mistyped = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`;
    for (const input of [
      '',
      '\n',
      'nonsense',
      randomUUID(),
      mistyped,
      unknown,
      displayPrefix(unknown),
      'x'.repeat(1e6),
    ])
      expect(refused(await find(input))).not.toContain(unknown.slice(12, -1));
    // Never as an argument, which other users of the machine see.
    expect(refused(await find('', unknown))).not.toContain(unknown.slice(12));
  });
});
