/**
 * The settings of a service for this database of PostgreSQL. With TEST_POOLER_URL, a pooler in transaction mode before the
 * server of TEST_DATABASE_URL, services reach their database through it, and commands and tests directly.
 */
export function databaseEnv(url: string): Record<string, string> {
  const pooler = process.env.TEST_POOLER_URL;
  if (pooler === undefined) return { DATABASE_URL: url };
  const { pathname } = new URL(url);
  return {
    DATABASE_URL: Object.assign(new URL(pooler), { pathname }).href,
    DATABASE_MIGRATION_URL: url,
  };
}
