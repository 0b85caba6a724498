import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDatabase } from '../../support/databases.js';
import { freePort } from '../../support/servers/free-port.js';
import { until } from '../../support/until.js';
import { account } from '../../faults/support/own-postgres.js';
import { ENGINES } from './engines.js';

/** The releases that the service is shown with. The newest knows named statements, the oldest does not. */
export const pgbouncers = [
  { release: 'PgBouncer 1.18', program: '/usr/sbin/pgbouncer' },
  { release: 'PgBouncer 1.25', program: join(ENGINES, 'pgbouncer-1.25.2-amd64') },
].map((each) => ({ ...each, isInstalled: existsSync(each.program) && isRelease(each) }));

function isRelease({ release, program }: { release: string; program: string }): boolean {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).startsWith(release);
}

/** A PgBouncer in transaction mode before every database of one server. */
export class Pgbouncer {
  private constructor(
    readonly url: string,
    private readonly home: string,
    private readonly child: ChildProcess,
  ) {}

  /** `poolSize`: connections to the server for each database, fewer than the service has to the pooler. */
  static async before(serverUrl: string, program: string, poolSize: number): Promise<Pgbouncer> {
    const { hostname, port, username } = new URL(serverUrl);
    const home = mkdtempSync(join(tmpdir(), 'animal-store-pgbouncer-'));
    const ownPort = await freePort();
    const config = join(home, 'pgbouncer.ini');
    writeFileSync(
      config,
      [
        '[databases]',
        `* = host=${hostname} port=${port} user=${username}`,
        '[pgbouncer]',
        `listen_addr = 127.0.0.1`,
        `listen_port = ${ownPort}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        `default_pool_size = ${poolSize}`,
        'max_client_conn = 1000',
      ].join('\n'),
    );
    if (account.uid !== undefined)
      for (const path of [home, config]) chownSync(path, account.uid, account.gid);
    const child = spawn(program, [config], { ...account, cwd: home, stdio: 'ignore' });
    const pgbouncer = new Pgbouncer(`postgres://${username}@127.0.0.1:${ownPort}/postgres`, home, child);
    await until(() =>
      onDatabase({ env: { DATABASE_URL: pgbouncer.url } }, 'select 1').catch(() => undefined),
    );
    return pgbouncer;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.home, { recursive: true, force: true });
  }
}
