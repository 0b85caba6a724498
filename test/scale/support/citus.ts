import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OwnPostgres } from '../../faults/support/own-postgres.js';
import { ENGINES } from './installed.js';

/** For PostgreSQL 15, where Debian's packages install it. */
const ARCHIVE = join(ENGINES, 'citus-13.0.5-pg15-amd64.tar.gz');
const LIBRARY = '/usr/lib/postgresql/15/lib/citus.so';

const DISTRIBUTE = fileURLToPath(new URL('../../../deploy/citus/distribute.sql', import.meta.url));

const SETTINGS = {
  shared_preload_libraries: 'citus',
  max_connections: '500',
  max_prepared_transactions: '500',
  // Citus runs a process for each database.
  max_worker_processes: '200',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.shard_count': '8',
};

const ROWS = (table: string) => `
  select nodeport::text as port, sum(result::integer)::integer as rows
  from run_command_on_shards('${table}', 'select count(*) from %s') join citus_shards using (shardid)
  group by nodeport order by nodeport`;

/** A Citus coordinator and its two workers. */
export class CitusCluster {
  static readonly isInstalled =
    OwnPostgres.version === 15 && (existsSync(LIBRARY) || (existsSync(ARCHIVE) && process.getuid?.() === 0));

  private constructor(
    readonly coordinator: OwnPostgres,
    readonly workers: OwnPostgres[],
  ) {}

  /** A coordinator without registered workers. */
  static async start(): Promise<CitusCluster> {
    if (!existsSync(LIBRARY)) execFileSync('tar', ['-C', '/', '--no-same-owner', '-xzf', ARCHIVE]);
    const nodes = await Promise.all([1, 2, 3].map(() => OwnPostgres.create(SETTINGS)));
    for (const node of nodes) await node.query('create extension citus');
    const [coordinator, ...workers] = nodes as [OwnPostgres, ...OwnPostgres[]];
    await coordinator.query(`select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`);
    return new CitusCluster(coordinator, workers);
  }

  /** With the parameters that the comment of distribute.sql names. */
  get env(): { DATABASE_URL: string } {
    const [, options = ''] = /^-- +(\?options=\S+)$/m.exec(readFileSync(DISTRIBUTE, 'utf8')) ?? [];
    return { DATABASE_URL: this.coordinator.url + options };
  }

  /** Runs the deployed file. Rejects with what psql says. */
  async distribute(): Promise<void> {
    await promisify(execFile)('psql', [this.coordinator.url, '--quiet', '-f', DISTRIBUTE]);
  }

  async addWorkers(): Promise<void> {
    for (const worker of this.workers)
      await this.coordinator.query(`select citus_add_node('127.0.0.1', ${portOf(worker)})`);
  }

  async restart(worker: OwnPostgres): Promise<void> {
    await worker.start(SETTINGS);
  }

  /** The number of a table's rows on each worker. */
  async rowsByWorker(table: string): Promise<number[]> {
    const found = await this.coordinator.query<{ port: string; rows: number }>(ROWS(table));
    return this.workers.map((worker) => found.find(({ port }) => port === portOf(worker))?.rows ?? 0);
  }

  /** The tables of the worker that hold the rows of `table`. */
  async shardsOn(worker: OwnPostgres, table: string): Promise<string[]> {
    const shards = await this.coordinator.query<{ name: string }>(
      `select shard_name as name from citus_shards where table_name::text = '${table}' and nodeport = ${portOf(worker)}`,
    );
    return shards.map(({ name }) => name);
  }

  /** The worker that holds the row of `table` with this value in its distribution column. */
  async workerOf(table: string, value: string): Promise<OwnPostgres> {
    const [found] = await this.coordinator.query<{ port: string }>(
      `select nodeport::text as port from citus_shards
       where shardid = get_shard_id_for_distribution_column('${table}', '${value}')`,
    );
    return this.workers.find((worker) => portOf(worker) === found!.port)!;
  }
}

const portOf = ({ url }: OwnPostgres): string => new URL(url).port;
