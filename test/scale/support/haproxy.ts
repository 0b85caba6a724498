import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atCleanUp } from '../../support/clean-up.js';
import { freePort } from '../../support/servers/free-port.js';
import { killProcess } from '../../support/servers/kill-process.js';
import { until } from '../../support/until.js';
import type { OwnPostgres } from '../../faults/support/own-postgres.js';

const PROGRAM = '/usr/sbin/haproxy';

export const isHaproxyInstalled = existsSync(PROGRAM);

/**
 * Starts one address for several servers, which forwards to the one that accepts writes. Resolves with its URL. `onDown`: whether
 * connections to a server that stops accepting writes are closed.
 */
export async function startHaproxy(servers: OwnPostgres[], onDown: 'cut' | 'keep'): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'animal-store-haproxy-'));
  const port = await freePort();
  const checked = servers.map(() => 0);
  const checks = await Promise.all(
    servers.map((server, index) => checkOf(server, () => (checked[index]! += 1))),
  );
  const lines = servers.map((server, index) => {
    const { port: checkPort } = checks[index]!.address() as AddressInfo;
    const { host } = new URL(server.url);
    const cut = onDown === 'cut' ? 'on-marked-down shutdown-sessions' : '';
    return `server s${index} ${host} check addr 127.0.0.1 port ${checkPort} inter 100 fall 1 rise 1 ${cut}`;
  });
  const config = `defaults
  mode tcp
  timeout connect 1s
  timeout check 2s
  timeout client 1h
  timeout server 1h
listen postgresql
  bind 127.0.0.1:${port}
  option httpchk GET /
  ${lines.join('\n  ')}
`;
  const file = join(home, 'haproxy.cfg');
  writeFileSync(file, config);
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: 'ignore' });
  atCleanUp(async () => {
    await killProcess(child);
    for (const check of checks) check.close().closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  });
  // Before its first checks HAProxy assumes that every server is up.
  await until(() => checked.every((times) => times >= 3));
  return Object.assign(new URL(servers[0]!.url), { port: String(port) }).href;
}

/** Answers 200 while this server accepts writes, as the agents of failover managers do. */
async function checkOf(server: OwnPostgres, onCheck: () => void): Promise<Server> {
  const check = createServer((_request, response) => {
    onCheck();
    server
      .query<{ transaction_read_only: string }>('show transaction_read_only')
      .then(([row]) => row?.transaction_read_only === 'off')
      .catch(() => false)
      .then((acceptsWrites) => response.writeHead(acceptsWrites ? 200 : 503).end())
      .catch(() => undefined);
  });
  await once(check.listen(0, '127.0.0.1'), 'listening');
  return check;
}
