import { describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../support/databases.js';
import type { Answer } from '../support/http/client.js';
import { expectError, expectOneWinner } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { Store, storeOf } from '../support/store.js';
import { atOnce, until } from '../support/until.js';

type KeyShape = Record<string, unknown> & { id: string; key: string };

const keyOf = ({ body }: Answer) => body as unknown as KeyShape;

// rotation.spec.ts has the rules, test/cli/rotation.e2e-spec.ts the ends of secrets.
describe.each(databaseKinds)('a rotation over HTTP on $name', (kind) => {
  const service = sharedService(kind);
  const admin = storeOf(service, { access: 'admin' });

  const rotate = (id: string) => admin.send({ method: 'POST', path: `/v1/keys/${id}/rotate` });
  const eventsOf = async (id: string) =>
    (await admin.get(`/v1/keys/${id}/events`)).body as unknown as Record<string, unknown>[];
  const worksWith = async (key: string) => (await service.call({ path: '/v1/pets', key })).status === 200;
  const issued = () => service.issue({ access: 'read' });

  it('rotates a key with an overlap of a day by default, and lets every key rotate itself', async () => {
    const { id, key } = await issued();
    const second = keyOf(await rotate(id));
    expect([await worksWith(key), await worksWith(second.key)]).toEqual([true, true]);
    const self = new Store(service.url, second.key);
    const third = keyOf(
      await self.send({ method: 'POST', path: '/v1/keys/me/rotate', body: { overlapSeconds: 0 } }),
    );
    await until(async () => !(await worksWith(second.key)));
    expect(await worksWith(third.key)).toBe(true);
    const [, byAdmin, byItself] = await eventsOf(id);
    expect([byAdmin, byItself]).toMatchObject([
      { kind: 'rotated', actor: admin.id },
      { kind: 'rotated', actor: id, changes: { prefix: { after: third.prefix } } },
    ]);
  });

  it('is rotated by its newest secret only, of many at once by one, and by an older one not even with a broken body', async () => {
    const { id, key } = await issued();
    const selfWith =
      (secret: string) =>
      (body: unknown, own = 'me') =>
        new Store(service.url, secret).send({ method: 'POST', path: `/v1/keys/${own}/rotate`, body });
    // The service knows this secret, as the newest.
    expect(await worksWith(key)).toBe(true);
    const answers = await atOnce(5, () => selfWith(key)({}));
    const newest = keyOf(expectOneWinner(answers, 'outdated_secret'));
    expect((await eventsOf(id)).map(({ kind: what }) => what)).toEqual(['created', 'rotated']);

    const byAdmin = keyOf(await rotate(id));
    for (const own of ['me', id]) expectError(await selfWith(newest.key)({}, own), 'outdated_secret');
    // Once the service knows, it does not wait for the body.
    await until(async () => (await selfWith(newest.key)('{"overlapSeconds":')).status === 403);
    for (const secret of [key, newest.key, byAdmin.key]) expect(await worksWith(secret)).toBe(true);
  });
});
