import pg from 'pg';

/**
 * The workers of the Citus coordinator that TEST_DATABASE_URL names, separated by commas. A distributed database is one
 * database of the same name on each node, so it is copied on each of them.
 */
const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter((url) => url !== '');

/** Whether migrated databases are distributed. */
export const isCitus = workers.length > 0;

export async function createDatabase(serverUrl: string, name: string, template = 'template1'): Promise<void> {
  await onEachServer(serverUrl, async (url) => {
    if (isCitus && template !== 'template1') {
      // Maintenance processes of Citus connect to the template again and again, and a database in use cannot be copied.
      await onServer(url, `alter database ${template} allow_connections false`);
      await onServer(
        url,
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${template}'`,
      );
    }
    await onServer(url, `create database ${name} template ${template}`);
  });
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onEachServer(serverUrl, (url) => onServer(url, `drop database if exists ${name} with (force)`));
}

async function onEachServer(serverUrl: string, work: (url: string) => Promise<void>): Promise<void> {
  await Promise.all([serverUrl, ...workers].map(work));
}

/** Registers the workers in a database of the coordinator. */
export async function joinWorkers(databaseUrl: string): Promise<void> {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const nodes = workers.map((url) => Object.assign(new URL(url), { pathname }));
  for (const url of [databaseUrl, ...nodes.map(({ href }) => href)])
    await onServer(url, 'create extension citus');
  await onServer(databaseUrl, `select citus_set_coordinator_host('${hostname}', ${port})`);
  for (const node of nodes)
    await onServer(databaseUrl, `select citus_add_node('${node.hostname}', ${node.port})`);
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
