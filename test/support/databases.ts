import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import pg from 'pg';

/** An empty database for one test file, and the environment a service needs to use it. */
export interface TestDatabase {
  env: Record<string, string>;
  drop(): Promise<void>;
}

export interface DatabaseKind {
  name: 'embedded' | 'postgresql';
  create(): Promise<TestDatabase>;
}

const embedded: DatabaseKind = {
  name: 'embedded',
  create: () => {
    const home = mkdtempSync(join(tmpdir(), 'animal-store-'));
    return Promise.resolve({
      env: { DATA_DIR: join(home, 'data') },
      drop: () => rm(home, { recursive: true, force: true }),
    });
  },
};

const postgresql = (serverUrl: string): DatabaseKind => ({
  name: 'postgresql',
  create: async () => {
    const name = `animal_store_test_${randomBytes(6).toString('hex')}`;
    await onServer(serverUrl, `create database ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return {
      env: { DATABASE_URL: url.href },
      drop: () => onServer(serverUrl, `drop database ${name} with (force)`),
    };
  },
});

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** What the database itself holds, past the service; also while it runs. */
export async function onDatabase<Row extends pg.QueryResultRow>(
  { env }: TestDatabase,
  statement: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(
    env.DATABASE_URL === undefined
      ? { host: env.DATA_DIR!, user: 'postgres', database: 'postgres' }
      : { connectionString: env.DATABASE_URL },
  );
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Every theme runs on each: the embedded database always, PostgreSQL where TEST_DATABASE_URL names a server. */
export const databaseKinds: DatabaseKind[] = [
  embedded,
  ...(process.env.TEST_DATABASE_URL ? [postgresql(process.env.TEST_DATABASE_URL)] : []),
];

/** For what only a server can show. Reported as skipped where TEST_DATABASE_URL names none. */
export function describeOnServer(name: string, tests: (kind: DatabaseKind) => void): void {
  const serverUrl = process.env.TEST_DATABASE_URL;
  (serverUrl ? describe : describe.skip)(name, () => tests(postgresql(serverUrl ?? '')));
}
