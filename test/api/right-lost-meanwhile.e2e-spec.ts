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

describe.each(databaseKinds)('a key that changes while the body of its request arrives on $name', (kind) => {
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
  ])('is %s: %s, and nothing is done', async (_how, code, columns, access, path) => {
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
});
