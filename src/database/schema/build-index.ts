import type { QueryRunner } from 'typeorm';

/**
 * Builds an index in a migration that declares `transaction = false`, while others read and write the table. Inside a
 * transaction, as on the embedded database and in an import, the index is built at once, because no other session writes there.
 *
 * @param on the table and its columns, for example `"usage_days" ("day")`
 */
export async function buildIndex(queryRunner: QueryRunner, name: string, on: string): Promise<void> {
  if (queryRunner.isTransactionActive) {
    await queryRunner.query(`create index "${name}" on ${on}`);
    return;
  }
  // The build waits for older transactions and blocks none. Behind a pooler in transaction mode
  // there is no timeout outside of transactions, and a parameter of the session would reach other clients.
  const [before] = (await queryRunner.query('show lock_timeout')) as { lock_timeout: string }[];
  const hasTimeout = before !== undefined && before.lock_timeout !== '0';
  if (hasTimeout) await queryRunner.query('set lock_timeout = 0');
  // A build that was interrupted has left an invalid index.
  await queryRunner.query(`drop index concurrently if exists "${name}"`);
  await queryRunner.query(`create index concurrently "${name}" on ${on}`);
  if (hasTimeout) await queryRunner.query(`set lock_timeout = '${before.lock_timeout}'`);
}
