import pg from 'pg';
import { displayPrefix, generateApiKey, hashApiKey } from '../../src/auth/keys/secrets/api-key-format.js';

export const PETS = 100_000;
export const CATEGORIES = 100;
const UNLIMITED = 2_000_000_000;
/** A longer statement would block the other clients of the embedded database, including the service. */
const ROWS_A_STATEMENT = 10_000;

/** 2 % pending, 90 % sold and the rest available, mixed over all ids. */
const INSERT_PETS = `
  insert into pets (name, category_id, status)
  select 'Pet ' || n, n % ${CATEGORIES}, case when n % 50 = 0 then 'pending' when n % 50 < 5 then 'available' else 'sold' end
  from generate_series($1::int, $2::int) n`;

const INSERT_KEYS = `
  with secret as materialized (
    select gen_random_uuid() as key_id, prefix, hash from unnest($2::text[], $3::bytea[]) as given (prefix, hash)
  ), stored as (
    insert into key_secrets (key_id, prefix, hash) select key_id, prefix, hash from secret
  )
  insert into api_keys (id, name, plan, per_minute, per_day, access, prefix)
  select key_id, 'bench', 'enterprise', ${UNLIMITED}, $1, 'manage', prefix from secret`;

/** Secrets by the outcome of their requests. */
export interface Secrets {
  /** With limits that no load reaches. */
  unlimited: string[];
  /** With one request a day. The limit per minute is high, so that refusals do not cause bans. */
  exhausted: string[];
  /** Well-formed, never issued. */
  unknown: string[];
}

export function makeSecrets(unlimited: number, others = 100): Secrets {
  const make = (count: number) => Array.from({ length: count }, generateApiKey);
  return { unlimited: make(unlimited), exhausted: make(others), unknown: make(others) };
}

/** Inserts the animals and keys of the shop into a database with the schema of the service. */
export async function fillShop(client: pg.ClientConfig, secrets: Secrets): Promise<void> {
  await withClient(client, async (database) => {
    for (let from = 1; from <= PETS; from += ROWS_A_STATEMENT) {
      await database.query(INSERT_PETS, [from, from + ROWS_A_STATEMENT - 1]);
    }
    for (let from = 0; from < secrets.unlimited.length; from += ROWS_A_STATEMENT) {
      await insertKeys(database, secrets.unlimited.slice(from, from + ROWS_A_STATEMENT), UNLIMITED);
    }
    await insertKeys(database, secrets.exhausted, 1);
    await database.query('vacuum analyze pets');
    await database.query('vacuum analyze api_keys, key_secrets');
  });
}

async function insertKeys(database: pg.Client, secrets: string[], perDay: number): Promise<void> {
  await database.query(INSERT_KEYS, [perDay, secrets.map(displayPrefix), secrets.map(hashApiKey)]);
}

async function withClient(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
