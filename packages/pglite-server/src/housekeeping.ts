import { setTimeout as pause } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import type { SharedBackend } from './shared-backend.js';

const ROUND_PAUSE_MS = 5_000;
const CHECKPOINT_AFTER_BYTES = 32 * 1024 * 1024;
const VACUUM_EVERY_ROUNDS = 12;

const CHECKPOINT_DUE = `
  SELECT FROM pg_control_checkpoint() WHERE pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) >= $1`;

// The thresholds of PostgreSQL's own autovacuum.
const TABLES_TO_VACUUM = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
     OR s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
     OR s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)`;

/**
 * Does the background work that a PostgreSQL server does in processes of its own and PGlite does not do: without checkpoints the
 * log grows without end; without vacuum the tables grow and have no statistics for the planner. Resolves after `stop` is aborted,
 * when the current round has ended.
 */
export async function keepHouse(
  database: Pick<PGlite, 'query'>,
  backend: SharedBackend,
  stop: AbortSignal,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    await pause(ROUND_PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    await exclusively(backend, () => checkpointWhenDue(database));
    if (round % VACUUM_EVERY_ROUNDS === 0) await vacuumChangedTables(database, backend);
  }
}

/** Vacuums and analyzes the tables that changed, one at a time, so that clients wait for one table at most. */
export async function vacuumChangedTables(
  database: Pick<PGlite, 'query'>,
  backend: SharedBackend,
): Promise<void> {
  const tables = await exclusively(backend, () => database.query<{ name: string }>(TABLES_TO_VACUUM));
  for (const { name } of tables.rows) {
    // The table was dropped or the disk is full: the next round tries again.
    await exclusively(backend, () => database.query(`VACUUM (ANALYZE) ${name}`).catch(() => undefined));
  }
}

async function checkpointWhenDue(database: Pick<PGlite, 'query'>): Promise<void> {
  const { rows } = await database.query(CHECKPOINT_DUE, [CHECKPOINT_AFTER_BYTES]);
  if (rows.length > 0) await database.query('CHECKPOINT');
}

async function exclusively<T>(backend: SharedBackend, work: () => Promise<T>): Promise<T> {
  await backend.acquire();
  try {
    return await work();
  } finally {
    backend.release();
  }
}
