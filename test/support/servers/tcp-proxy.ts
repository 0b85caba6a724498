import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Gate, Lane, type Pace } from './tcp-lane.js';

/** `away`: connections are cut as soon as they are made. `frozen`: they are taken and nothing passes either way. */
type Mode = 'forwarding' | 'away' | 'frozen';

const DEFAULT_PORTS: Record<string, number> = { 'postgres:': 5432, 'redis:': 6379, 'http:': 80 };
const UNHINDERED: Readonly<Pace> = { delayMs: 0, bytesPerSecond: Infinity };

/** A server's address that a test can cut off, freeze, slow down and bring back, without touching the server. */
export class TcpProxy {
  private isAway = false;
  private isMuted = false;
  private readonly requests = new Gate();
  private readonly answers = new Gate();
  private readonly pace: Pace = { ...UNHINDERED };
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((near) => this.accept(near));
  }

  /** Listens in front of the server that a `postgres://`, `redis://` or `http://` URL names. */
  static async before(url: string, mode: Mode = 'forwarding'): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url));
    if (mode === 'away') proxy.cut();
    if (mode === 'frozen') proxy.freeze();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** The same URL through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** How many connections callers have open. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  /** Ends all connections, and every new one at once. */
  cut(): void {
    this.isAway = true;
    this.endAll();
  }

  /** Leaves all connections open and lets nothing through any more, as a network that drops every packet. */
  freeze(): void {
    this.requests.shut();
    this.answers.shut();
  }

  /** Lets requests through and keeps the answers back: what was asked is done, and nobody learns of it. */
  holdAnswers(): void {
    this.answers.shut();
  }

  /** From new connections lets requests through, and cuts each when its answer comes. */
  mute(): void {
    this.isMuted = true;
  }

  /** Lets everything through that was kept back meanwhile, on the same connections. */
  thaw(): void {
    this.requests.open();
    this.answers.open();
  }

  /** Everything takes this much longer, each way. */
  delay(delayMs: number): void {
    this.pace.delayMs = delayMs;
  }

  /** So much a second passes each way, per connection; who sends more feels it. */
  throttle(bytesPerSecond: number): void {
    this.pace.bytesPerSecond = bytesPerSecond;
  }

  /** Forwards again, unhindered. What was frozen is cut: whoever waited on it has gone. */
  restore(): void {
    this.endAll();
    this.isAway = false;
    this.isMuted = false;
    Object.assign(this.pace, UNHINDERED);
    this.thaw();
  }

  async close(): Promise<void> {
    this.restore();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    this.keep(near);
    if (this.isAway) {
      near.destroy();
      return;
    }
    const far = connect(
      Number(this.target.port) || (DEFAULT_PORTS[this.target.protocol] ?? 0),
      this.target.hostname,
    );
    this.keep(far);
    new Lane(near, far, this.requests, this.pace);
    if (this.isMuted) far.once('data', () => near.destroy());
    else new Lane(far, near, this.answers, this.pace);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }

  private endAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
