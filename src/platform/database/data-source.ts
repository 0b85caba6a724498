import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CustomTypesConfig } from 'pg';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import { FaultTolerantClient, type Parameters, setParameters } from './fault-tolerant-client.js';

/** Which database, and how many connections to it at most. Without `pooler`: `session`. */
export type DatabaseSettings = Partial<Config['database']> & Pick<Config['database'], 'dataDir' | 'poolSize'>;

/**
 * The number of connections that single reads share (docs/performance.md). At least one is left for the pool. A transaction
 * pooler takes one statement at a time from a connection.
 */
const PIPELINED_CONNECTIONS = 2;
export const pipelinedConnections = ({ poolSize, pooler }: DatabaseSettings): number =>
  pooler === 'transaction' ? 0 : Math.min(PIPELINED_CONNECTIONS, poolSize - 1);

// Together under 3 seconds: a caller gets 503 by then, whichever way the database fails.
const CONNECT_TIMEOUT_MS = 1_500;
const QUERY_TIMEOUT_MS = 1_400;
// The server gives up first, so that nothing is written after the caller got 503.
const STATEMENT_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 3_000;

const TIMEOUTS: Parameters = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // Releases the locks of a connection that stopped answering.
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

// What the operator may have set for the server, the database or the role: `pg` reads dates in ISO style only, and statements that
// wait for a row expect to see its newest version.
export const FIXED_SETTINGS = String.raw`-c datestyle=ISO -c default_transaction_isolation=read\ committed`;

// Every statement of a request has one good plan whatever its values (docs/decisions/0044). By default the server plans it
// for each execution, which costs as much as running it.
const GENERIC_PLANS = '-c plan_cache_mode=force_generic_plan';

/** int64 columns become bigints, so that no digit is lost. */
const exactTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8
      ? BigInt
      : (pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown),
};

/** The embedded database listens on a UNIX socket in its directory and has one role. Without `port` and `ssl`, `pg` reads PGPORT and PGSSLMODE. */
function embeddedCredentials({ dataDir }: DatabaseSettings) {
  return { host: resolve(dataDir), port: 5432, ssl: false, username: 'postgres', database: 'postgres' };
}

/** The connection options of the service, the command line and TypeORM's own tools. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    type: 'postgres',
    ...(settings.url === undefined ? embeddedCredentials(settings) : { url: settings.url }),
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
    extra: {
      Client: FaultTolerantClient,
      types: exactTypes,
      query_timeout: QUERY_TIMEOUT_MS,
      ...connectionParameters(settings),
    },
  };
}

function connectionParameters({ url, pooler }: DatabaseSettings) {
  if (pooler === 'transaction') return { transactionParameters: TIMEOUTS };
  const options = `${FIXED_SETTINGS} ${GENERIC_PLANS}`;
  // The embedded database ignores the first timeout and hangs with the second.
  return url === undefined ? { options } : { ...TIMEOUTS, options };
}

// For each statement that takes over 10 ms, Citus opens up to 16 connections to a worker by default. Starting their sessions slows a
// busy machine down until statements exceed their timeout (docs/scaling.md). It plans a statement on several shards only with its
// values, so it gets no generic plans.
const FOR_CITUS = '-c citus.max_adaptive_executor_pool_size=1 -c plan_cache_mode=auto';

/** Opens the pool. */
export async function openPool(dataSource: DataSource, { hasCitus }: { hasCitus: boolean }): Promise<void> {
  const extra = dataSource.options.extra as { options?: string };
  // A transaction pooler refuses options.
  if (hasCitus && extra.options !== undefined)
    dataSource.setOptions({ extra: { ...extra, options: `${extra.options} ${FOR_CITUS}` } });
  await dataSource.initialize();
}

/** The settings for migrations and commands, which use the direct connection where there is one. */
export function directSettings<Settings extends DatabaseSettings>(settings: Settings): Settings {
  const { migrationUrl } = settings;
  return migrationUrl === undefined ? settings : { ...settings, url: migrationUrl, pooler: 'session' };
}

const NO_TIMEOUTS: Parameters = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/**
 * Opens the database for work that may take longer than a request: without entities, and without the timeouts that an operator may
 * have set for the server, the database or the role. `lockTimeoutMs` is how long a statement waits for a lock. The second
 * connection is for the work, where the first one holds a lock.
 */
export function openWithoutTimeouts(settings: DatabaseSettings, lockTimeoutMs = 0): Promise<DataSource> {
  const extra = {
    Client: FaultTolerantClient,
    ...longWorkParameters(settings, { ...NO_TIMEOUTS, lock_timeout: lockTimeoutMs }),
  };
  const options = { ...dataSourceOptions(settings), entities: [], poolSize: 2, extra } as DataSourceOptions;
  return new DataSource(options).initialize();
}

function longWorkParameters({ url, pooler }: DatabaseSettings, parameters: Parameters) {
  if (pooler === 'transaction') return { transactionParameters: parameters };
  // The embedded database has one session for all.
  if (url === undefined) return { options: FIXED_SETTINGS };
  const set = setParameters('session', parameters);
  return { options: FIXED_SETTINGS, onConnect: (client: pg.Client) => client.query(set) };
}
