import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { atCleanUp, start, temporaryFolder } from '../../support/clean-up.js';
import { freePort } from '../../support/servers/free-port.js';
import { listen } from '../../support/servers/listen.js';
import { until } from '../../support/until.js';
import type { OwnPostgres } from '../../faults/support/own-postgres.js';

const PROGRAM = '/usr/sbin/haproxy';

export const isHaproxyInstalled = existsSync(PROGRAM);

/**
 * Starts one address for several servers, which forwards to the one that accepts writes. Connections to a
 * server that stops accepting writes are closed. Resolves with its URL.
 */
export async function startHaproxy(servers: OwnPostgres[]): Promise<string> {
  const port = await freePort();
  const checked = servers.map(() => 0);
  const checks = await Promise.all(
    servers.map((server, index) => checkOf(server, () => (checked[index]! += 1))),
  );
  const lines = servers.map((server, index) => {
    const { host } = new URL(server.url);
    return `server s${index} ${host} check addr 127.0.0.1 port ${new URL(checks[index]!).port} inter 100 fall 1 rise 1 on-marked-down shutdown-sessions`;
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
  const file = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(file, config);
  start(PROGRAM, ['-db', '-f', file]);
  // Before its first checks HAProxy assumes that every server is up.
  await until(() => checked.every((times) => times >= 3));
  return Object.assign(new URL(servers[0]!.url), { port: String(port) }).href;
}

/** Answers 200 while this server accepts writes, as the agents of failover managers do. Resolves with its origin. */
function checkOf(server: OwnPostgres, onCheck: () => void): Promise<string> {
  const check = createServer((_request, response) => {
    onCheck();
    server
      .query<{ transaction_read_only: string }>('show transaction_read_only')
      .then(([row]) => row?.transaction_read_only === 'off')
      .catch(() => false)
      .then((acceptsWrites) => response.writeHead(acceptsWrites ? 200 : 503).end())
      .catch(() => undefined);
  });
  atCleanUp(() => check.close().closeAllConnections());
  return listen(check);
}
