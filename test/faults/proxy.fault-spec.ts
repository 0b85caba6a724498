import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { reportFigures } from './support/figures.js';

/** What the other fault tests stand on: faults that are not there would make every one of them pass. */
describe('the proxy', () => {
  let server: Server;
  let accepted: number;
  let heard: string;
  let proxy: TcpProxy;
  let caller: Socket;
  let answered: string;

  beforeEach(async () => {
    accepted = 0;
    heard = '';
    answered = '';
    // Says everything back.
    server = createServer((socket) => {
      accepted += 1;
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes) => {
        heard += bytes.toString('latin1');
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

  it('lets nothing through while frozen, and all of it after a thaw, in order', async () => {
    caller.write('a');
    await until(() => answered === 'a');
    proxy.freeze();
    for (let sent = 0; sent < 100; sent += 1) caller.write(String(sent % 10));
    const late = await connected();
    late.write('z');
    // A connection made after all that was written has reached the server, and nothing of it has.
    await until(() => accepted === 2);
    expect(heard).toBe('a');
    proxy.thaw();
    await until(() => answered.length === 102);
    expect(heard.replace('z', '')).toBe(`a${'0123456789'.repeat(10)}`);
    late.destroy();
  });

  it('keeps the answers alone back', async () => {
    proxy.holdAnswers();
    caller.write('done');
    await until(() => heard === 'done');
    expect(answered).toBe('');
    proxy.cut();
    if (!caller.closed) await once(caller, 'close');
    expect(answered).toBe('');
  });

  it('cuts what is open and what is new, until it is restored', async () => {
    proxy.cut();
    if (!caller.closed) await once(caller, 'close');
    const refused = await connected();
    if (!refused.closed) await once(refused, 'close');
    proxy.restore();
    caller = await connected();
    caller.write('b');
    await until(() => answered === 'b');
  });

  it('delays each way without holding up what comes after', async () => {
    proxy.delay(100);
    const begun = performance.now();
    for (let sent = 0; sent < 20; sent += 1) caller.write('x');
    await until(() => answered.length === 20);
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThan(190);
    expect(tookMs).toBeLessThan(1_000);
    reportFigures('proxy with a delay of 100 ms each way', { 'round trip ms': Math.round(tookMs) });
  });

  it('throttles, and its sender feels it', async () => {
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
    await until(() => heard.length > 500_000);
    expect(caller.writableLength).toBeGreaterThan(0);
    reportFigures('proxy at 1 MB/s', { '500 kB ms': Math.round(tookMs) });
  });

  it('passes on what was said last before a connection ends', async () => {
    proxy.delay(50);
    caller.end('bye');
    await until(() => heard === 'bye');
  });
});
