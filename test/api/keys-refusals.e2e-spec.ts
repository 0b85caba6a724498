import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { expectError, type Code } from '../support/http/expect-error.js';
import { issueKeys, type IssuedKey } from '../support/keys.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

describe('an operation on keys', () => {
  const service = sharedService(anyKind);
  const admin = storeOf(service, { access: 'admin' });

  const ID = 'ID';
  it.each<[string, string, object, Code, ...string[]]>([
    ['POST', '', {}, 'invalid_body', 'name', 'plan'],
    [
      'POST',
      '',
      {
        name: '',
        plan: 'gold',
        perMinute: '5',
        access: 'root',
        expiresAt: '2020-01-01T00:00:00Z',
        reference: '',
        colour: 1,
      },
      'invalid_body',
      'name',
      'plan',
      'perMinute',
      'access',
      'expiresAt',
      'reference',
      'colour',
    ],
    ['POST', '', { name: 'x', plan: 'enterprise', perMinute: 5 }, 'invalid_body', 'plan', 'perDay'],
    ['POST', '', { name: 'x', plan: 'pro', perMinute: 5, perDay: 5 }, 'invalid_body', 'perMinute', 'perDay'],
    [
      'POST',
      '',
      { name: 'x', plan: 'enterprise', perMinute: 0, perDay: 2 ** 31 },
      'invalid_body',
      'perMinute',
      'perDay',
    ],
    [
      'POST',
      '',
      { name: 'a\u0007', plan: 'free', expiresAt: '2027-02-30T00:00:00Z' },
      'invalid_body',
      'name',
      'expiresAt',
    ],
    ['POST', '', { name: 'x', plan: 'free', access: 'admin' }, 'insufficient_access', 'keys command'],
    ['PATCH', `/${ID}`, {}, 'invalid_body', 'at least one'],
    ['PATCH', `/${ID}`, { name: null, expiresAt: 'never' }, 'invalid_body', 'name', 'expiresAt'],
    ['PATCH', `/${ID}`, { perMinute: 5, perDay: 5 }, 'invalid_body', 'perMinute', 'perDay'],
    ['PATCH', `/${ID}`, { expiresAt: '9999-12-31T23:59:59-01:00' }, 'invalid_body', 'expiresAt'],
    ['PATCH', `/${ID}`, { access: 'admin' }, 'insufficient_access', 'keys command'],
    ['PATCH', '/NONE', { access: 'admin' }, 'insufficient_access', 'keys command'],
    ['PATCH', '/ADMIN', { name: 'x' }, 'insufficient_access', 'keys command'],
    ['POST', '/ADMIN/rotate', {}, 'insufficient_access', 'keys command'],
    ['POST', '/ADMIN/unban', {}, 'insufficient_access', 'keys command'],
    ['DELETE', '/ADMIN', {}, 'insufficient_access', 'keys command'],
    ['DELETE', '/me', {}, 'insufficient_access', 'keys command'],
    ['POST', `/${ID}/rotate`, { overlapSeconds: -1 }, 'invalid_body', 'overlapSeconds'],
    ['POST', `/${ID}/rotate`, { overlapSeconds: 2_592_001 }, 'invalid_body', 'overlapSeconds'],
    ['POST', `/${ID}/rotate`, { overlap: 1 }, 'invalid_body', 'overlap'],
    ['PATCH', '/NONE', { name: 'x' }, 'key_not_found'],
    ['PATCH', '/nonsense', { name: 'x' }, 'key_not_found'],
    ['POST', '/NONE/rotate', {}, 'key_not_found'],
    ['POST', '/NONE/unban', {}, 'key_not_found'],
    ['DELETE', '/NONE', {}, 'key_not_found'],
  ])('refuses %s %s with %j', async (method, path, body, code, ...named) => {
    const [{ id }] = (await issueKeys(service, 1)) as [IssuedKey];
    const [other] = (await issueKeys(service, 1, { access: 'admin' })) as [IssuedKey];
    const state = () =>
      onDatabase(
        service,
        'select k.*, (select count(*) from key_events where key_id = k.id) from api_keys k where id = any($1)',
        [[id, other.id]],
      );
    const before = await state();
    const target = path.replace(ID, id).replace('ADMIN', other.id).replace('NONE', randomUUID());
    const message = expectError(await admin.send({ method, path: `/v1/keys${target}`, body }), code);
    for (const name of named) expect(message).toContain(name);
    expect(await state()).toEqual(before);
  });

  it('repeats no secret that stands where an id or a name is expected', async () => {
    const secret = generateApiKey();
    for (const answer of [
      await admin.get(`/v1/keys/${secret}`),
      await admin.send({ method: 'POST', path: '/v1/keys', body: { name: 1, plan: secret } }),
    ])
      expect(answer.text).not.toContain(secret.slice(4));
  });
});
