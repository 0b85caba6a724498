import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { reportFigures } from './support/figures.js';

/** The other fault tests rely on the proxy. Without its faults all of them would pass. */
describe('TcpProxy', () => {
  let server: Server;
  let accepted: number;
  let received: string;
  let proxy: TcpProxy;
  let caller: Socket;
  let answered: string;

  beforeEach(async () => {
    accepted = 0;
    received = '';
    answered = '';
    // An echo server.
    server = createServer((socket) => {
      accepted += 1;
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        socket.write(bytes);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    proxy = await TcpProxy.before(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    caller = await connected();
  });
  afterEach(async () => {
    caller.destroy();
    await proxy.close();
    server.close();
  });

  async function connected(): Promise<Socket> {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => (answered += bytes.toString('latin1')));
    await once(socket, 'connect');
    return socket;
  }

  it('forwards nothing while frozen, and everything in order after a thaw', async () => {
    caller.write('a');
    await until(() => answered === 'a');
    proxy.freeze();
    for (let sent = 0; sent < 100; sent += 1) caller.write(String(sent % 10));
    const late = await connected();
    late.write('z');
    // A later connection has reached the server, and no data has.
    await until(() => accepted === 2);
    expect(received).toBe('a');
    proxy.thaw();
    await until(() => answered.length === 102);
    expect(received.replace('z', '')).toBe(`a${'0123456789'.repeat(10)}`);
    late.destroy();
  });

  it('holds back only responses', async () => {
    proxy.holdAnswers();
    caller.write('done');
    await until(() => received === 'done');
    expect(answered).toBe('');
    proxy.cut();
    if (!caller.closed) await once(caller, 'close');
    expect(answered).toBe('');
  });

  it('closes open and new connections until it is restored', async () => {
    proxy.cut();
    if (!caller.closed) await once(caller, 'close');
    const refused = await connected();
    if (!refused.closed) await once(refused, 'close');
    proxy.restore();
    caller = await connected();
    caller.write('b');
    await until(() => answered === 'b');
  });

  it('delays both directions without blocking later data', async () => {
    proxy.delay(100);
    const begun = performance.now();
    for (let sent = 0; sent < 20; sent += 1) caller.write('x');
    await until(() => answered.length === 20);
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThan(190);
    expect(tookMs).toBeLessThan(1_000);
    reportFigures('proxy with a delay of 100 ms each way', { 'round trip ms': Math.round(tookMs) });
  });

  it('throttles and applies backpressure to the sender', async () => {
    proxy.throttle(1_000_000);
    const begun = performance.now();
    caller.write(Buffer.alloc(500_000, 'y'));
    await until(() => answered.length === 500_000);
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(5_000);
    proxy.throttle(1_000);
    const isFlushed = caller.write(Buffer.alloc(20_000_000));
    expect(isFlushed).toBe(false);
    await until(() => received.length > 500_000);
    expect(caller.writableLength).toBeGreaterThan(0);
    reportFigures('proxy at 1 MB/s', { '500 kB ms': Math.round(tookMs) });
  });

  it('forwards the last data of a connection before it closes', async () => {
    proxy.delay(50);
    caller.end('bye');
    await until(() => received === 'bye');
  });
});
