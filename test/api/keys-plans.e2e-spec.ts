import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { KeySecretsRepository } from '../../src/auth/keys/secrets/key-secrets.repository.js';
import { connectTo, describeOnServer } from '../support/databases.js';
import { captureStatement, PLAN_MODES, rowsRead, scans } from '../support/tools/query-plans.js';

const KEYS = 2_000;

const INSERT_KEYS = `
  with key as materialized (
    select n, gen_random_uuid() as id from generate_series(1, ${KEYS}) n
  ), secret as (
    insert into key_secrets (key_id, prefix, hash) select id, 'ask_' || n, sha256(n::text::bytea) from key
  )
  insert into api_keys (id, name, plan, access, prefix) select id, 'key ' || n, 'free', 'read', 'ask_' || n from key`;

describeOnServer('query plans of keys', (kind) => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await connectTo(await kind.create());
    await client.query(INSERT_KEYS);
    await client.query('vacuum analyze api_keys, key_secrets');
  });
  afterAll(() => client.end());

  it('read nothing but the key of each secret', async () => {
    const { rows } = await client.query<{ hash: Buffer }>('select hash from key_secrets order by number');
    for (const hashes of [rows.slice(0, 1), rows.slice(0, 10)]) {
      const statement = await captureStatement([], (database) =>
        new KeySecretsRepository(database, undefined as never).findCallers(hashes.map(({ hash }) => hash)),
      );
      for (const mode of PLAN_MODES) {
        const read = (await scans(client, statement, mode)).map(rowsRead);
        expect({ mode, read }).toEqual({ mode, read: [hashes.length, hashes.length] });
      }
    }
  });
});
