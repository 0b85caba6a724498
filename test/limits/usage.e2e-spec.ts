import { describe, expect, it } from '@jest/globals';
import { type Answer, dayLeft } from '../support/http/client.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { issueKeys } from '../support/keys.js';
import { until, untilDayHasRoom } from '../support/until.js';
import { sharedService } from '../support/service.js';

interface UsageDay {
  date: string;
  admitted: bigint;
  refused: bigint;
  deprecated: bigint;
}

const daysOf = (answer: Answer) => answer.body as unknown as UsageDay[];
const todayOf = (answer: Answer) => daysOf(answer).at(-1)!;
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe.each(databaseKinds)('usage on $name', (kind) => {
  const service = sharedService(kind);

  const usage = (key: string, query = '') => service.call({ path: `/v1/usage${query}`, key });

  // routes.e2e-spec.ts has the least and the most days, and their default.
  it('lists every day, including days without requests, and ends with today', async () => {
    const { key } = await service.issue();
    await untilDayHasRoom();
    const dates = Array.from({ length: 90 }, (_, index) => dayBefore(89 - index));
    expect(daysOf(await usage(key, '?days=90'))).toEqual(
      // The request itself is the one of today.
      dates.map((date) => ({ date, admitted: date === dayBefore(0) ? 1n : 0n, refused: 0n, deprecated: 0n })),
    );
  });

  it('counts every admitted request immediately and exactly once, but no free request', async () => {
    const { key, id } = await service.issue();
    const other = await service.issue();
    await untilDayHasRoom();
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nowhere', '/v1/pets?days=1'])
      await service.call({ path, key });
    await service.call({ path: '/v1/rate-limit', key });
    let asked = 4n;
    // Requests before, during and after the write to the database: none is missing or counted twice.
    await until(async () => {
      const rows = await onDatabase(service, 'select from usage_days where key_id = $1', [id]);
      for (let request = 0; request < 10; request += 1) {
        asked += 1n;
        expect(todayOf(await usage(key))).toMatchObject({ admitted: asked, refused: 0n });
      }
      return rows.length > 0;
    });
    expect(todayOf(await usage(other.key)).admitted).toBe(1n);
  });

  it('counts the calls of deprecated operations, and lists the keys that make them', async () => {
    const [{ key, id }, other, admin] = [
      await service.issue(),
      await service.issue(),
      await service.issue({ access: 'admin' }),
    ];
    await untilDayHasRoom();
    for (const path of ['/v1/pets/1', '/v1/pets/abc', '/v1/pets?ids=1', '/v1/nowhere'])
      await service.call({ path, key });
    await service.call({ path: '/v1/pets', key: other.key });
    expect(todayOf(await usage(key))).toMatchObject({ admitted: 5n, deprecated: 2n });
    expect(todayOf(await usage(other.key)).deprecated).toBe(0n);
    const list = async (uses: boolean) =>
      (await service.call({ path: `/v1/keys?order=desc&limit=100&usesDeprecated=${uses}`, key: admin.key }))
        .text;
    await until(async () => (await list(true)).includes(id));
    expect(await list(true)).not.toContain(other.id);
    expect(await list(false)).toContain(other.id);
    expect(await list(false)).not.toContain(id);
    // Beyond 30 days it is over.
    await onDatabase(service, `update usage_days set day = day - 30 where key_id = $1`, [id]);
    expect(await list(true)).not.toContain(id);
    const answer = await service.call({ path: '/v1/keys?usesDeprecated=1', key: admin.key });
    expect(expectError(answer, 'invalid_parameter')).toContain('usesDeprecated');
  });

  it('counts refused requests, also during a ban', async () => {
    const { key, id } = await service.issue({ perMinute: 1, perDay: 1_000 });
    await untilDayHasRoom();
    const answers: Answer[] = [];
    const ask = async () => {
      answers.push(await usage(key));
      return answers.at(-1)!;
    };
    while (!(await ask()).text.includes('api_key_banned'));
    for (let during = 0; during < 3; during += 1) expectError(await ask(), 'api_key_banned');
    await service.keys('set-plan', id, 'enterprise', '--per-minute', '1000', '--per-day', '1000');
    await service.keys('unban', id);
    const last = await until(async () => {
      const answer = await ask();
      return answer.status === 200 && answer;
    });
    const admitted = answers.filter(({ status }) => status === 200).length;
    const refused = answers.length - admitted;
    expect(todayOf(last)).toMatchObject({ admitted: BigInt(admitted), refused: BigInt(refused) });
  });

  // replicas.e2e-spec.ts has the counts that several replicas write.
  it('starts the day of each key from its own count, also when many keys come at once', async () => {
    const issued = await issueKeys(service, 20);
    await untilDayHasRoom();
    await onDatabase(
      service,
      `insert into usage_days (key_id, day, admitted, refused)
        select id, $2, place, 0 from unnest($1::uuid[]) with ordinality as keys (id, place) order by place desc`,
      [issued.map(({ id }) => id), dayBefore(0)],
    );
    const answers = await Promise.all(issued.map(({ key }) => service.call({ path: '/v1/pets', key })));
    expect(answers.map((answer) => 1_000_000_000 - dayLeft(answer))).toEqual(issued.map((_, at) => at + 2));
  });

  it('lists the days exactly as replicas have written them, and none before the first requested day', async () => {
    const { key, id } = await service.issue();
    await untilDayHasRoom();
    await usage(key);
    const write = (daysAgo: number, admitted: string) =>
      onDatabase(
        service,
        `insert into usage_days as u (key_id, day, admitted, refused) values ($1, $2, $3, 7)
          on conflict (key_id, day) do update set admitted = u.admitted + excluded.admitted, refused = 7`,
        [id, dayBefore(daysAgo), admitted],
      );
    await write(0, '40');
    await write(2, '9007199254740993');
    await write(3, '5');
    expect(daysOf(await usage(key, '?days=3'))).toEqual([
      { date: dayBefore(2), admitted: 9007199254740993n, refused: 7n, deprecated: 0n },
      { date: dayBefore(1), admitted: 0n, refused: 0n, deprecated: 0n },
      { date: dayBefore(0), admitted: 42n, refused: 7n, deprecated: 0n },
    ]);
  });
});
