import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CustomTypesConfig } from 'pg';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import type { DatabaseServer } from '../config/database-server.js';
import { FaultTolerantClient } from './connections/fault-tolerant-client.js';

/** Which database, and how many connections to it at most. */
export type DatabaseSettings = Partial<Config['database']> & Pick<Config['database'], 'dataDir' | 'poolSize'>;

/** The number of connections that single reads share (docs/performance.md). At least one is left for the pool. */
const PIPELINED_CONNECTIONS = 2;
export const pipelinedConnections = ({ poolSize }: DatabaseSettings): number =>
  Math.min(PIPELINED_CONNECTIONS, poolSize - 1);

// Together under 3 seconds: a caller gets 503 by then, whichever way the database fails.
export const CONNECT_TIMEOUT_MS = 900;
const QUERY_TIMEOUT_MS = 1_400;
// The server gives up first, so that nothing is written after the caller got 503. With the wait for a connection it is under 2 seconds:
// by then a server that answers has answered each operation of an overloaded service.
const STATEMENT_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 3_000;

// What the operator may have set for the server, the database or the role: `pg` reads dates in ISO style only, and statements that
// wait for a row expect to see its newest version.
const FIXED_SETTINGS = String.raw`-c datestyle=ISO -c default_transaction_isolation=read\ committed`;

// Every statement of a request has one good plan whatever its values (docs/decisions/0044). By default the server plans it
// for each execution, which costs as much as running it. The second timeout releases the locks of a connection that stopped answering.
const FOR_REQUESTS = `-c plan_cache_mode=force_generic_plan -c statement_timeout=${STATEMENT_TIMEOUT_MS}
  -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`.replace(/\s+/g, ' ');

const NO_TIMEOUTS = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/** int64 columns become bigints, so that no digit is lost. Dates stay text, because a `Date` is a moment in some time zone. */
const exactTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === pg.types.builtins.INT8) return BigInt;
    if (oid === pg.types.builtins.DATE) return String;
    return pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown;
  },
};

/** The connection options of the service, the command line and TypeORM's own tools. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    type: 'postgres',
    applicationName: 'animal-store',
    poolSize: settings.poolSize - pipelinedConnections(settings),
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    entities: [fileURLToPath(new URL('../../**/*.entity.{js,ts}', import.meta.url))],
    migrations: [fileURLToPath(new URL('./migrations/*.{js,ts}', import.meta.url))],
    // The schema needs no extension, and the service's role may not be allowed to create one.
    installExtensions: false,
    synchronize: false,
    // By default TypeORM writes to stdout, which holds a command's JSON. This logger writes to stderr, when DEBUG asks for it.
    logger: 'debug',
    // A pipelined connection is closed when a statement is not answered in time.
    ...serverOf(settings, FOR_REQUESTS, { query_timeout: QUERY_TIMEOUT_MS, pipeline: true }),
  };
}

/**
 * The server, and the parameters of a session there. The embedded database listens on a UNIX socket in its directory, has one role, and
 * one session for all connections, which takes no timeouts.
 */
function serverOf({ server, dataDir }: DatabaseSettings, parameters: string, more: object) {
  const extra = { Client: FaultTolerantClient, types: exactTypes, ...more };
  if (server !== undefined) {
    const { user, application_name, ...others } = withParameters(server, parameters);
    const named = application_name === undefined ? {} : { application_name };
    return { ...others, username: user, extra: { ...extra, options: others.options, ...named } };
  }
  // Without `port` and `ssl`, `pg` reads PGPORT and PGSSLMODE.
  const socket = {
    host: resolve(dataDir),
    port: 5432,
    ssl: false,
    username: 'postgres',
    database: 'postgres',
  };
  return { ...socket, extra: { ...extra, options: FIXED_SETTINGS } };
}

/** The server with parameters of a session. Its own come last, so that an operator can override the service's (docs/databases.md). */
export function withParameters(
  server: DatabaseServer,
  parameters = '',
): DatabaseServer & { options: string } {
  return { ...server, options: [FIXED_SETTINGS, parameters, server.options ?? ''].join(' ').trim() };
}

/** The settings for migrations and commands, which use the direct connection where there is one. */
export function directSettings<Settings extends DatabaseSettings>(settings: Settings): Settings {
  const { migrationServer } = settings;
  return migrationServer === undefined ? settings : { ...settings, server: migrationServer };
}

/**
 * Opens the database for work that may take longer than a request: without the timeouts that an operator may have set.
 * `lockTimeoutMs` is how long a statement waits for a lock. The second connection is for the work, where the first one holds a lock.
 */
export function openWithoutTimeouts(settings: DatabaseSettings, lockTimeoutMs = 0): Promise<DataSource> {
  const parameters = `${NO_TIMEOUTS} -c lock_timeout=${lockTimeoutMs}`;
  const options = { ...dataSourceOptions(settings), ...serverOf(settings, parameters, {}) };
  return new DataSource({ ...options, poolSize: 2 } as DataSourceOptions).initialize();
}
