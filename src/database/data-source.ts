import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CustomTypesConfig } from 'pg';
import pg from 'pg';
import type { DataSourceOptions, Logger } from 'typeorm';
import { SteadyClient } from './steady-client.js';

/** Which database, and how many connections to it. */
export interface DatabaseSettings {
  /** A PostgreSQL server. Undefined: the embedded database in `dataDir`. */
  url?: string | undefined;
  dataDir: string;
  poolSize: number;
}

/** Where the database remembers which migrations it has seen. */
export const MIGRATIONS_TABLE = 'migrations';

// A caller gets 503 within 3 seconds of asking, however the database fails to answer.
const CONNECT_TIMEOUT_MS = 1_500;
const QUERY_TIMEOUT_MS = 1_400;
// The server gives up first, so that nothing is written after the caller was told it failed.
const STATEMENT_TIMEOUT_MS = 1_000;
const IDLE_IN_TRANSACTION_MS = 3_000;

// Every statement of a request has one good plan whatever its values (docs/decisions/0044). Left to itself the server plans it
// anew each time, which costs as much as running it.
const GENERIC_PLANS = '-c plan_cache_mode=force_generic_plan';

/** int64 columns come as bigint, so that no digit is lost on the way. */
const exactTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8
      ? BigInt
      : (pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown),
};

/** The embedded database listens on a UNIX socket in its directory and knows one role. */
function embeddedCredentials({ dataDir }: DatabaseSettings) {
  return { host: resolve(dataDir), username: 'postgres', database: 'postgres' };
}

const ignore = () => undefined;
const SILENT: Logger = {
  logQuery: ignore,
  logQueryError: ignore,
  logQuerySlow: ignore,
  logSchemaBuild: ignore,
  logMigration: ignore,
  log: ignore,
};

/** The one description of the schema's home: for the service, the command line and TypeORM's own tools. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    type: 'postgres',
    ...(settings.url === undefined ? embeddedCredentials(settings) : { url: settings.url }),
    applicationName: 'animal-store',
    poolSize: settings.poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    entities: [fileURLToPath(new URL('../*/*.entity.{js,ts}', import.meta.url))],
    migrations: [fileURLToPath(new URL('./migrations/*.{js,ts}', import.meta.url))],
    migrationsTableName: MIGRATIONS_TABLE,
    // The schema needs no extension, and the service's role may not be allowed to create one.
    installExtensions: false,
    synchronize: false,
    // TypeORM would write to stdout, past the log and into a command's JSON; what fails is thrown as well.
    logger: SILENT,
    extra: {
      Client: SteadyClient,
      types: exactTypes,
      query_timeout: QUERY_TIMEOUT_MS,
      // The embedded database knows neither (docs/decisions).
      ...(settings.url === undefined
        ? {}
        : {
            statement_timeout: STATEMENT_TIMEOUT_MS,
            // What a connection that fell silent holds is let go.
            idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
          }),
      keepAlive: true,
      options: GENERIC_PLANS,
    },
  };
}

/**
 * What the first statement of unhurried work on a server is: an operator may have set deadlines for the server, the database or
 * the role. For the session, which is the work's own.
 */
export const WITHOUT_DEADLINES =
  'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0';

/** The same for work that may take longer than a request is given: one connection, no deadlines of ours, no entities. */
export function unhurriedOptions(settings: DatabaseSettings): DataSourceOptions {
  const options = dataSourceOptions(settings);
  return { ...options, entities: [], poolSize: 1, extra: { Client: SteadyClient } } as typeof options;
}
