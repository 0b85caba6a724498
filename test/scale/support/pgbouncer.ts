import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start, temporaryFolder } from '../../support/clean-up.js';
import { onDatabase } from '../../support/databases.js';
import { freePort } from '../../support/servers/free-port.js';
import { until } from '../../support/until.js';
import { account } from '../../faults/support/own-postgres.js';
import { ENGINES } from './installed.js';

const RELEASE = 'PgBouncer 1.25';
const PROGRAM = join(ENGINES, 'pgbouncer-1.25.2-amd64');

/** The tested release, of the image in deploy/. Debian 12 has one that does not know named statements. */
export const pgbouncer = {
  release: RELEASE,
  program: PROGRAM,
  isInstalled:
    existsSync(PROGRAM) && execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }).startsWith(RELEASE),
};

/** The deployed configuration. The tests change its addresses, secrets and sizes. */
const DEPLOYED = fileURLToPath(new URL('../../../deploy/kubernetes/pooler/pgbouncer.ini', import.meta.url));

/**
 * Starts a PgBouncer in transaction mode for every database of one server, with `poolSize` connections to the server for each. Resolves
 * with its URL.
 */
export async function startPgbouncer(serverUrl: string, program: string, poolSize: number): Promise<string> {
  const { hostname, port, username } = new URL(serverUrl);
  const home = temporaryFolder();
  const ownPort = await freePort();
  const config = join(home, 'pgbouncer.ini');
  const changes = {
    animals: `* = host=${hostname} port=${port} user=${username}`,
    listen_addr: 'listen_addr = 127.0.0.1',
    listen_port: `listen_port = ${ownPort}`,
    auth_type: 'auth_type = any',
    auth_file: undefined,
    server_tls_sslmode: undefined,
    default_pool_size: `default_pool_size = ${poolSize}`,
    max_client_conn: 'max_client_conn = 1000',
  };
  writeFileSync(
    config,
    Object.entries(changes).reduce(
      (text, [name, line = '']) => text.replace(new RegExp(`^${name} = .*$`, 'm'), line),
      readFileSync(DEPLOYED, 'utf8'),
    ),
  );
  if (account.uid !== undefined) for (const path of [home, config]) chownSync(path, account.uid, account.gid);
  start(program, [config], { ...account, cwd: home });
  const url = `postgres://${username}@127.0.0.1:${ownPort}/postgres`;
  await until(() => onDatabase({ env: { DATABASE_URL: url } }, 'select 1').catch(() => undefined));
  return url;
}
