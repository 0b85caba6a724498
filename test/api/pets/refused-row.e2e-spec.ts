import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { ownService } from '../../support/service.js';
import { atOnce } from '../../support/until.js';

const CALLERS = 40;
const REFUSED = 'refused by the table';

describe.each(databaseKinds)('a row that the table refuses on $name', (kind) => {
  const service = ownService(kind);
  let key: string;

  beforeAll(async () => {
    await onDatabase(service.database, `alter table pets add check (name <> '${REFUSED}')`);
    key = await service.issueKey({ perMinute: 1_000_000, perDay: 1_000_000 });
  });

  it('fails no other creation that shares its statement', async () => {
    const answers = await atOnce(CALLERS, (number) => {
      const name = number % 10 === 5 ? REFUSED : `Pet ${number}`;
      return service.call({ method: 'POST', path: '/v1/pets', key, body: { name, categoryId: 1 } });
    });
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, number) => (number % 10 === 5 ? 500 : 201)));
    // Each is there once.
    const rows = await onDatabase(service.database, 'select from pets');
    expect(rows).toHaveLength(CALLERS - CALLERS / 10);
  });
});
