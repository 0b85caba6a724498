import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import pg from 'pg';
import { atCleanUp, temporaryFolder } from './clean-up.js';
import { databaseEnv } from './setup/database-env.js';
import { createDatabase, dropDatabase } from './setup/server-databases.js';

/** The environment of a service or a command. */
export type Env = Record<string, string>;

/** A database, which `cleanUp` drops, and the environment a service needs to use it. */
export interface TestDatabase {
  env: Env;
}

export interface DatabaseKind {
  name: 'embedded' | 'postgresql';
  /** A migrated database without rows. */
  create(): Promise<TestDatabase>;
  /** A database that no service has opened yet. */
  createUnmigrated(): Promise<TestDatabase>;
}

function embeddedDatabase(template?: string): Promise<TestDatabase> {
  const dataDir = join(temporaryFolder(), 'data');
  if (template !== undefined) {
    // Without the lock of the template, which is beside it.
    cpSync(join(template, 'pgdata'), join(dataDir, 'pgdata'), { recursive: true, mode: 0 });
  }
  return Promise.resolve({ env: { DATA_DIR: dataDir } });
}

async function serverDatabase(serverUrl: string, template = 'template1'): Promise<TestDatabase> {
  const name = `animal_store_test_${randomBytes(6).toString('hex')}`;
  await createDatabase(serverUrl, name, template);
  atCleanUp(() => dropDatabase(serverUrl, name));
  return { env: databaseEnv(Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href) };
}

/** Opens a session on the database directly, also while a service uses it. The caller ends it. */
export async function connectTo({ env }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client(
    env.DATABASE_URL === undefined
      ? { host: env.DATA_DIR!, user: 'postgres', database: 'postgres' }
      : { connectionString: env.DATABASE_MIGRATION_URL ?? env.DATABASE_URL },
  );
  await client.connect();
  return client;
}

/** Runs a statement in such a session. */
export async function onDatabase<Row extends pg.QueryResultRow>(
  database: TestDatabase,
  statement: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = await connectTo(database);
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const { TEST_DATABASE_URL: serverUrl, TEST_TEMPLATE_DATA_DIR, TEST_TEMPLATE_DATABASE } = process.env;
/** `.ci/run` sets this when it has run the tests on the embedded database already. */
const isEmbeddedDone = process.env.TEST_ONLY_SERVERS !== undefined;

export const embedded: DatabaseKind = {
  name: 'embedded',
  create: () => embeddedDatabase(TEST_TEMPLATE_DATA_DIR),
  createUnmigrated: () => embeddedDatabase(),
};

const onPostgresql = (url: string): DatabaseKind => ({
  name: 'postgresql',
  create: () => serverDatabase(url, TEST_TEMPLATE_DATABASE),
  createUnmigrated: () => serverDatabase(url),
});

/**
 * The kinds of database that tests run on: PostgreSQL if TEST_DATABASE_URL names a server, and the embedded database unless
 * TEST_ONLY_SERVERS is set.
 */
export const databaseKinds: DatabaseKind[] = [
  ...(isEmbeddedDone ? [] : [embedded]),
  ...(serverUrl ? [onPostgresql(serverUrl)] : []),
];

/** The kind for tests that do not depend on the database: PostgreSQL if there is a server. */
export const anyKind = databaseKinds.at(-1)!;

/** Describes tests that need a server. They are reported as skipped without TEST_DATABASE_URL. */
export function describeOnServer(name: string, tests: (kind: DatabaseKind) => void): void {
  (serverUrl ? describe : describe.skip)(name, () => tests(onPostgresql(serverUrl ?? '')));
}
