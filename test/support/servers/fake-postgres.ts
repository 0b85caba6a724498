import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', 'I');
const WELCOME = Buffer.concat([message('R', [0, 0, 0, 0]), READY]);
const WRONG_PASSWORD = message(
  'E',
  'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "shop"\0\0',
);

/** One row with one column of type int4, called `version`. */
function versionRow(version: string): Buffer {
  const int4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 23, 0, 4, 0xff, 0xff, 0xff, 0xff, 0, 0];
  return Buffer.concat([
    message('T', [0, 1], 'version\0', int4),
    message('D', [0, 1, 0, 0, 0, version.length], version),
    message('C', 'SELECT 1\0'),
    READY,
  ]);
}

/**
 * Simulates a server that is too old or requires a password. It answers every query with
 * `version`; without a version it refuses every password.
 */
export async function startFakePostgres(version?: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      if (version === undefined) {
        socket.end(WRONG_PASSWORD);
        return;
      }
      socket.write(WELCOME);
      socket.on('data', (bytes) => {
        if (bytes.toString('latin1', 0, 1) === 'Q') socket.write(versionRow(version));
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://shop:hunter2@127.0.0.1:${port}/shop`, server };
}
