import { readFileSync } from 'node:fs';
import pg from 'pg';
import { cpuMs } from './measured-process.js';

/** The processor time of each backend of one database in milliseconds, by process id. */
export type BackendTimes = Map<number, number>;

/** Reads the processor time of a database's backends, if the server runs on this machine. */
export class Backends {
  private constructor(
    private readonly client: pg.Client,
    private readonly database: string,
  ) {}

  static async from(serverUrl: string, database: string): Promise<Backends> {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    return new Backends(client, database);
  }

  async times(): Promise<BackendTimes> {
    const { rows } = await this.client.query<{ pid: number }>({
      name: 'backends',
      text: 'select pid from pg_stat_activity where datname = $1',
      values: [this.database],
    });
    return new Map(rows.filter(({ pid }) => isPostgres(pid)).map(({ pid }) => [pid, cpuMs(pid)]));
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

/** Milliseconds of processor time between two readings; NaN without backends. */
export function spentMs(from: BackendTimes, to: BackendTimes): number {
  if (to.size === 0) return Number.NaN;
  return [...to].reduce((sum, [pid, ms]) => sum + ms - (from.get(pid) ?? 0), 0);
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres');
  } catch {
    return false;
  }
}
