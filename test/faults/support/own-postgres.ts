import { execFileSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { TestDatabase } from '../../support/databases.js';
import { atCleanUp, isRunning, start, temporaryFolder } from '../../support/clean-up.js';
import { until } from '../../support/until.js';
import { freePort } from '../../support/servers/free-port.js';

const DEBIAN_HOME = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs; undefined if it is not installed. */
const programs = !existsSync(DEBIAN_HOME)
  ? undefined
  : readdirSync(DEBIAN_HOME)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(DEBIAN_HOME, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')));

/** PostgreSQL refuses to run as root. */
export const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(option: '-u' | '-g'): number {
  return programs === undefined ? 0 : Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

/** A PostgreSQL server of one test, in which it can inject faults. */
export class OwnPostgres {
  static readonly isInstalled = programs !== undefined;
  /** The major version of the programs. */
  static readonly version = Number(programs?.split('/').at(-2));
  private child: ChildProcess | undefined;

  private constructor(
    private readonly home: string,
    private readonly port: number,
  ) {}

  /** A new, empty server; `settings` as on its command line. */
  static async create(settings: Record<string, string> = {}): Promise<OwnPostgres> {
    // The locale of the caller must not decide the encoding: the service needs UTF8.
    const encoded = ['--encoding=UTF8', '--locale=C.UTF-8'];
    const server = await OwnPostgres.at('initdb', ['-U', 'postgres', '--auth=trust', ...encoded]);
    await server.start(settings);
    return server;
  }

  /** A server in a folder that this program fills. */
  private static async at(program: string, options: string[]): Promise<OwnPostgres> {
    const home = temporaryFolder();
    if (account.uid !== undefined) chownSync(home, account.uid, account.gid);
    const args = ['-D', home, '--no-sync', ...options];
    await once(start(join(programs!, program), args, { ...account, cwd: home }), 'exit');
    return new OwnPostgres(home, await freePort());
  }

  /** Adds a standby of this server. From then on every commit waits for the standby. */
  async addStandby(): Promise<OwnPostgres> {
    const copy = ['-R', '-X', 'stream', '-c', 'fast', '-d', this.url];
    const standby = await OwnPostgres.at('pg_basebackup', copy);
    await standby.start();
    await this.query("alter system set synchronous_standby_names = '*'");
    await this.query('select pg_reload_conf()');
    await until(async () => {
      const rows = await this.query("select from pg_stat_replication where sync_state = 'sync'");
      return rows.length > 0;
    });
    return standby;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** The database, for direct access without the service. */
  get database(): TestDatabase {
    return { env: { DATABASE_URL: this.url } };
  }

  async start(settings: Record<string, string> = {}): Promise<void> {
    const options = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      // Only its processes are killed, so nothing waits for the disk.
      fsync: 'off',
      ...settings,
    };
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = start(join(programs!, 'postgres'), ['-D', this.home, ...args], {
      ...account,
      cwd: this.home,
    });
    this.child = child;
    // Killed alone, it would leave its sessions.
    atCleanUp(async () => {
      if (!isRunning(child)) return;
      this.thaw();
      await this.stop('crash');
    });
    await until(() => this.query('select 1').catch(() => undefined));
  }

  /** Ends every session and the server. `crash`: at once, so that the server has to recover at its next start. */
  async stop(how: 'fast' | 'crash' = 'fast'): Promise<void> {
    const { child } = this;
    if (!child || !isRunning(child)) return;
    const ended = once(child, 'exit');
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  /** Suspends the server and all its sessions: connections stay open without responses. */
  freeze(): void {
    this.signalAll('STOP');
  }

  thaw(): void {
    this.signalAll('CONT');
  }

  async query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** A session of the test, which continues if the session ends. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Sessions are children of the server, each in its own process group. */
  private signalAll(signal: 'STOP' | 'CONT'): void {
    this.child!.kill(`SIG${signal}`);
    execFileSync('pkill', ['--signal', signal, '--parent', String(this.child!.pid)]);
  }
}
