import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { requestsLeft, type Answer } from '../support/http/client.js';
import { expectError, type Code } from '../support/http/expect-error.js';
import { answersIn } from '../support/http/raw.js';
import { sharedService } from '../support/service.js';
import { until, untilMinuteHasRoom } from '../support/until.js';

const REVOKED = 'revoked_at = now()';
const EXPIRED = 'expires_at = now()';
const DOWNGRADED = `access = 'read'`;

describe.each(databaseKinds)('a key that changes while its request is under way on $name', (kind) => {
  const service = sharedService(kind);

  /** Sends the head and one byte, calls `meanwhile` while the service waits for the rest, and sends the rest. */
  async function sendSlowly(
    path: string,
    key: string,
    body: string,
    meanwhile: () => Promise<unknown>,
  ): Promise<Answer> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const head = [
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n`,
      `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    ];
    socket.write(head.join(''));
    // `100 Continue` says that the caller is admitted and that the body is read.
    await once(socket, 'data');
    socket.write(body.slice(0, 1));
    await meanwhile();
    socket.write(body.slice(1));
    const [answer] = answersIn(await buffer(socket)).answers;
    return answer!;
  }

  /** Changes the row of a key, and waits until the service applies that to other requests. */
  async function change(id: string, key: string, columns: string): Promise<void> {
    await onDatabase(service, `update api_keys set ${columns} where id = $1`, [id]);
    // An empty body is refused, unless the caller is refused before.
    await until(
      async () => (await service.call({ method: 'POST', path: '/v1/pets', key, body: '' })).status !== 400,
    );
  }

  it.each<[string, Code, string, 'admin' | 'manage', string]>([
    ['revoked', 'invalid_api_key', REVOKED, 'admin', '/v1/keys'],
    ['downgraded', 'insufficient_access', DOWNGRADED, 'admin', '/v1/keys'],
    ['expired', 'invalid_api_key', EXPIRED, 'manage', '/v1/pets'],
    ['downgraded', 'insufficient_access', DOWNGRADED, 'manage', '/v1/pets'],
  ])('is %s while a body arrives: %s, and nothing is done', async (_how, code, columns, access, path) => {
    const { id, key } = await service.issue({ access });
    const name = randomUUID();
    const body = JSON.stringify(path === '/v1/keys' ? { name, plan: 'free' } : { name, categoryId: 1 });
    expectError(await sendSlowly(path, key, body, () => change(id, key, columns)), code);
    const made = await onDatabase(
      service,
      'select name from pets where name = $1 union all select name from api_keys where name = $1',
      [name],
    );
    expect(made).toEqual([]);
  });

  it('is revoked: 401 comes before what is wrong with the body', async () => {
    const { id, key } = await service.issue();
    expectError(
      await sendSlowly('/v1/pets', key, '{"name"', () => change(id, key, REVOKED)),
      'invalid_api_key',
    );
  });

  it('keeps its right: the request is answered, and counted once', async () => {
    const { id, key } = await service.issue({ plan: 'free', access: 'manage' });
    const renamed = () => onDatabase(service, `update api_keys set name = 'renamed' where id = $1`, [id]);
    await untilMinuteHasRoom();
    const answer = await sendSlowly('/v1/pets', key, '{"name":"Rex","categoryId":1}', renamed);
    expect([answer.status, requestsLeft(answer)]).toEqual([201, 59]);
    expect(requestsLeft(await service.call({ path: '/v1/rate-limit', key }))).toBe(59);
  });

  it('changes keys only while the key that asks may, whatever was known of it a moment ago', async () => {
    const { id } = await service.issue();
    const changes = [
      { method: 'POST', path: '/v1/keys', body: { name: randomUUID(), plan: 'free' } },
      { method: 'PATCH', path: `/v1/keys/${id}`, body: { name: 'changed' } },
      { method: 'POST', path: `/v1/keys/${id}/rotate` },
      { method: 'POST', path: `/v1/keys/${id}/unban` },
      { method: 'DELETE', path: `/v1/keys/${id}` },
    ];
    const state = () =>
      onDatabase(
        service,
        `select k.*, (select count(*) from api_keys) as keys, (select count(*) from key_secrets) as secrets,
          (select count(*) from key_events) as events from api_keys k where id = $1`,
        [id],
      );
    for (const [columns, code] of [
      ['revoked_at = now()', 'invalid_api_key'],
      ['expires_at = now()', 'invalid_api_key'],
      [`access = 'manage'`, 'insufficient_access'],
    ] as const) {
      for (const change of changes) {
        const acting = await service.issue({ access: 'admin' });
        const before = await state();
        // The service trusts what it reads of the key now for almost a second.
        expect((await service.call({ path: '/v1/pets', key: acting.key })).status).toBe(200);
        await onDatabase(service, `update api_keys set ${columns} where id = $1`, [acting.id]);
        expectError(await service.call({ ...change, key: acting.key }), code);
        expect(await state()).toEqual(before);
      }
    }
  });
});
