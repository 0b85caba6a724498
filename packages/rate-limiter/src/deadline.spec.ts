import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { settled } from '../test/clocks.js';
import { withinDeadline } from './deadline.js';

describe('a reply', () => {
  it('or a failure is forwarded', async () => {
    await expect(withinDeadline(Promise.resolve(1), 20)).resolves.toBe(1);
    await expect(withinDeadline(Promise.reject(new Error('closed')), 20)).rejects.toThrow('closed');
  });

  it('that does not come rejects', async () => {
    await expect(withinDeadline(new Promise(() => undefined), 20)).rejects.toThrow('within 20 ms');
  });

  it('that arrives while this process stalls counts', async () => {
    const [near, far] = await connectedSockets();
    const reply = new Promise((resolve) => near.once('data', (data) => resolve(String(data))));
    await settled();
    const answered = withinDeadline(reply, 20);
    far.write('late');
    const startMs = performance.now();
    while (performance.now() - startMs < 60);
    await expect(answered).resolves.toBe('late');
    near.destroy();
  });
});

/** Both ends of one connection. */
async function connectedSockets(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far];
}
