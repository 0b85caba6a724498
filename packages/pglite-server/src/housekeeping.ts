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
 * The background work that a PostgreSQL server does in processes of its own and PGlite does not do: without
 * checkpoints the log grows without end; without vacuum the tables grow and have no statistics for the planner.
 */
export class Housekeeping {
  private unitsSeen = 0;
  private roundsSinceVacuum = 0;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly database: Pick<PGlite, 'query'>,
    private readonly backend: SharedBackend,
    private readonly onBroken: (error: unknown) => void,
  ) {}

  /** Starts a round every few seconds. */
  start(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.round = this.runRound()
        .catch(this.onBroken)
        .finally(() => this.start());
    }, ROUND_PAUSE_MS);
  }

  /** Resolves when the current round has ended; no other begins. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** Vacuums and analyzes the tables that changed, one at a time, so that clients wait for one table at most. */
  async vacuumChangedTables(): Promise<void> {
    const tables = await this.exclusively(() => this.database.query<{ name: string }>(TABLES_TO_VACUUM));
    for (const { name } of tables.rows) {
      // The table was dropped or the disk is full: the next round tries again.
      await this.exclusively(() => this.database.query(`VACUUM (ANALYZE) ${name}`).catch(() => undefined));
    }
  }

  private async runRound(): Promise<void> {
    if (this.backend.unitsRun === this.unitsSeen) return;
    this.unitsSeen = this.backend.unitsRun;
    await this.exclusively(() => this.checkpointWhenDue());
    if (++this.roundsSinceVacuum < VACUUM_EVERY_ROUNDS) return;
    this.roundsSinceVacuum = 0;
    await this.vacuumChangedTables();
  }

  private async checkpointWhenDue(): Promise<void> {
    const { rows } = await this.database.query(CHECKPOINT_DUE, [CHECKPOINT_AFTER_BYTES]);
    if (rows.length > 0) await this.database.query('CHECKPOINT');
  }

  private async exclusively<T>(work: () => Promise<T>): Promise<T> {
    await this.backend.acquire();
    try {
      return await work();
    } finally {
      this.backend.release();
    }
  }
}
