import type { PGlite } from '@electric-sql/pglite';
import { Repeated } from '../../common/repeated.js';
import type { SharedBackend } from './shared-backend.js';

const ROUND_MS = 5_000;
const CHECKPOINT_AFTER_BYTES = 32 * 1024 * 1024;
const VACUUM_EVERY_ROUNDS = 12;

// The thresholds of PostgreSQL's own autovacuum.
const TABLES_TO_VACUUM = `
  SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
  WHERE s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
     OR s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
     OR s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)`;

/**
 * What a PostgreSQL server does beside its clients and PGlite, alone in its process, does not: without
 * checkpoints the log grows for ever, and without vacuum the tables do, planned on statistics never taken.
 */
export class Housekeeping {
  private checkpointedAt = '0/0';
  private unitsSeen = 0;
  private roundsSinceVacuum = 0;
  private readonly rounds = new Repeated(ROUND_MS, () => this.roundWhereUsed().catch(this.onBroken));

  constructor(
    private readonly database: Pick<PGlite, 'query'>,
    private readonly backend: SharedBackend,
    private readonly onBroken: (error: unknown) => void,
  ) {}

  /** Looks every few seconds whether something is to be done; a database that nobody uses is left alone. */
  start(): void {
    this.rounds.start();
  }

  /** Ends after the round that is under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async roundWhereUsed(): Promise<void> {
    if (this.backend.unitsRun === this.unitsSeen) return;
    this.unitsSeen = this.backend.unitsRun;
    await this.round();
  }

  /** One look: a checkpoint when enough was written, and now and then the tables that changed. */
  async round(): Promise<void> {
    await this.checkpointWhenDue();
    if (++this.roundsSinceVacuum < VACUUM_EVERY_ROUNDS) return;
    this.roundsSinceVacuum = 0;
    await this.vacuumChangedTables();
  }

  /** Vacuums and analyzes what has changed, table by table, so that clients wait for one of them at most. */
  async vacuumChangedTables(): Promise<void> {
    const tables = await this.alone(() => this.database.query<{ name: string }>(TABLES_TO_VACUUM));
    for (const { name } of tables.rows) {
      // Dropped since it was listed, or no room on the disk: the next round looks again, and clients are told of the disk.
      await this.alone(() => this.database.query(`VACUUM (ANALYZE) ${name}`).catch(() => undefined));
    }
  }

  private async checkpointWhenDue(): Promise<void> {
    await this.alone(async () => {
      const { rows } = await this.database.query<{ written: string; now: string }>(
        'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::text AS written, pg_current_wal_lsn()::text AS now',
        [this.checkpointedAt],
      );
      const [log] = rows;
      if (!log) return;
      if (this.checkpointedAt !== '0/0' && Number(log.written) < CHECKPOINT_AFTER_BYTES) return;
      await this.database.query('CHECKPOINT');
      this.checkpointedAt = log.now;
    });
  }

  private async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.backend.acquire();
    try {
      return await work();
    } finally {
      this.backend.unnamedOwner = undefined;
      this.backend.release();
    }
  }
}
