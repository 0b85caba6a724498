import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { atCleanUp } from '../clean-up.js';
import { listen } from './listen.js';

/** `away`: new connections are closed at once. `frozen`: they are accepted, and no data passes. */
type Mode = 'forwarding' | 'away' | 'frozen';

const DEFAULT_PORTS: Record<string, number> = { 'postgres:': 5432, 'redis:': 6379, 'http:': 80 };
/** Only the other side's end is forwarded: a frozen connection answers no end by itself. */
const HALF_OPEN = { allowHalfOpen: true };

/** Opens and shuts one direction of every connection at once. */
class Gate {
  private shutting: PromiseWithResolvers<void> | undefined;

  shut(): void {
    this.shutting ??= Promise.withResolvers();
  }

  open(): void {
    this.shutting?.resolve();
    this.shutting = undefined;
  }

  /** Resolves when the gate is open. */
  async passed(): Promise<void> {
    while (this.shutting) await this.shutting.promise;
  }
}

/** A TCP proxy with which a test interrupts, freezes, delays and restores the connections to a server. */
export class TcpProxy {
  private isAway = false;
  private origin = '';
  private delayMs = 0;
  private readonly requests = new Gate();
  private readonly answers = new Gate();
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
    proxy.origin = await listen(proxy.server);
    return proxy;
  }

  /** The same URL through the proxy. */
  get url(): string {
    return Object.assign(new URL(this.target), { host: new URL(this.origin).host }).href;
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

  /** Delays data that arrives from now on, in both directions. */
  delay(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Forwards without delay again, and closes the existing connections. */
  restore(): void {
    this.endAll();
    this.isAway = false;
    this.delayMs = 0;
    this.thaw();
  }

  /** Closes all connections and listens no more. */
  close(): void {
    this.restore();
    this.server.close();
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
    this.forward(near, far, this.requests);
    this.forward(far, near, this.answers);
  }

  /** Forwards data and its end in their order, as the gate and the delay allow. */
  private forward(source: Socket, sink: Socket, gate: Gate): void {
    let last = Promise.resolve();
    const pass = (toSink: () => void) => {
      const dueMs = performance.now() + this.delayMs;
      last = last.then(async () => {
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await pause(waitMs);
        await gate.passed();
        toSink();
      });
    };
    source.on('data', (bytes) => pass(() => sink.write(bytes)));
    source.on('end', () => pass(() => sink.end()));
    source.on('close', () => pass(() => sink.destroySoon()));
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
