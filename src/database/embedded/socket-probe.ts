import { createConnection, type Socket } from 'node:net';

/** What stands behind a socket's path: a live process, a file its process left behind, or nothing. */
export type SocketState = 'live' | 'stale' | 'absent';

/** The first byte of a server's answer to a client that it lets in. */
const AUTHENTICATION_OK = 'R'.charCodeAt(0);

/** Asks whether a process listens on the socket. A full queue or a frozen process still counts as live. */
export async function probeSocket(path: string): Promise<SocketState> {
  return await new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve('live');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve('stale');
      else if (error.code === 'ENOENT') resolve('absent');
      else if (error.code === 'EAGAIN' || error.code === 'ECONNRESET') resolve('live');
      else reject(error);
    });
  });
}

/**
 * Becomes a client of the database on the socket, if need be after waiting for it to open; undefined when
 * none answers. The connection keeps its owner from closing, and nobody's process from ending.
 */
export async function joinAsClient(path: string, timeoutMs: number): Promise<Socket | undefined> {
  const socket = createConnection({ path });
  const joined = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => socket.write(startupPacket()));
    // An owner that cannot open its database says so instead.
    socket.once('data', (answer: Buffer) => resolve(answer[0] === AUTHENTICATION_OK));
    socket.once('close', () => resolve(false));
    socket.on('error', () => resolve(false));
    socket.setTimeout(timeoutMs, () => resolve(false));
  });
  socket.setTimeout(0);
  if (joined) return socket.unref().resume();
  socket.destroy();
  return undefined;
}

function startupPacket(): Buffer {
  const parameters = Buffer.from('user\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, parameters]);
}
