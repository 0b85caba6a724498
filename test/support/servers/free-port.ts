import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that kernels choose by themselves, so that no connection takes the port before its user listens. */
const FIRST = 12_000;
/** Each worker of Jest has its own ports. */
const PORTS_OF_A_WORKER = 500;

let tried = 0;

/** A port that is currently free. */
export async function freePort(): Promise<number> {
  const first = FIRST + (Number(process.env.JEST_WORKER_ID ?? '1') % 10) * PORTS_OF_A_WORKER;
  // Another run on this machine starts elsewhere.
  const offset = process.pid % PORTS_OF_A_WORKER;
  for (;;) {
    const port = first + ((offset + tried) % PORTS_OF_A_WORKER);
    tried += 1;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
