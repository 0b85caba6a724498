import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { atCleanUp } from '../clean-up.js';
import { Gate, Lane, type Pace } from './tcp-lane.js';

/** `away`: new connections are closed at once. `frozen`: they are accepted, and no data passes. */
type Mode = 'forwarding' | 'away' | 'frozen';

const DEFAULT_PORTS: Record<string, number> = { 'postgres:': 5432, 'redis:': 6379, 'http:': 80 };
/** Only the other side's end is forwarded: a frozen connection answers no end by itself. */
const HALF_OPEN = { allowHalfOpen: true };
const UNLIMITED: Readonly<Pace> = { delayMs: 0, bytesPerSecond: Infinity };

/** A TCP proxy with which a test interrupts, freezes, slows down and restores the connections to a server. */
export class TcpProxy {
  private isAway = false;
  private readonly requests = new Gate();
  private readonly answers = new Gate();
  private readonly pace: Pace = { ...UNLIMITED };
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(
    private readonly target: URL,
    private readonly onConnection?: (near: Socket) => void,
  ) {
    this.server = createServer(HALF_OPEN, (near) => this.accept(near));
  }

  /**
   * Listens in front of the server that a `postgres://`, `redis://` or `http://` URL names. `onConnection` gets the caller's
   * side of each forwarded connection.
   */
  static async before(
    url: string,
    mode: Mode = 'forwarding',
    onConnection?: (near: Socket) => void,
  ): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url), onConnection);
    atCleanUp(() => proxy.close());
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

  /** The number of open connections. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  /** Closes all connections and every new one. */
  cut(): void {
    this.isAway = true;
    this.endAll();
  }

  /** Keeps all connections open and forwards nothing, like a network that drops every packet. */
  freeze(): void {
    this.requests.shut();
    this.answers.shut();
  }

  /** Forwards requests and holds the responses back. */
  holdAnswers(): void {
    this.answers.shut();
  }

  /** Forwards everything that was held back, on the same connections. */
  thaw(): void {
    this.requests.open();
    this.answers.open();
  }

  /** Delays data in both directions. */
  delay(delayMs: number): void {
    this.pace.delayMs = delayMs;
  }

  /** Limits the rate of each connection in both directions. */
  throttle(bytesPerSecond: number): void {
    this.pace.bytesPerSecond = bytesPerSecond;
  }

  /** Forwards without limits again, and closes the existing connections. */
  restore(): void {
    this.endAll();
    this.isAway = false;
    Object.assign(this.pace, UNLIMITED);
    this.thaw();
  }

  /** May be called again: `cleanUp` calls it too. */
  async close(): Promise<void> {
    this.restore();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    this.register(near);
    if (this.isAway) {
      near.destroy();
      return;
    }
    const port = Number(this.target.port) || (DEFAULT_PORTS[this.target.protocol] ?? 0);
    const far = connect({ ...HALF_OPEN, port, host: this.target.hostname });
    this.register(far);
    this.onConnection?.(near);
    new Lane(near, far, this.requests, this.pace);
    new Lane(far, near, this.answers, this.pace);
  }

  private register(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }

  private endAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
