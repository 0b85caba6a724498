import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * `away`: connections are cut as soon as they are made. `frozen`: they are taken and nothing passes either way.
 * `mute`: what is asked passes, and the connection is cut when the answer comes.
 */
type Mode = 'forwarding' | 'away' | 'frozen' | 'mute';

interface Link {
  near: Socket;
  far: Socket | undefined;
}

/** A server's address that a test can cut off, freeze and bring back, without touching the server. */
export class TcpProxy {
  private mode: Mode;
  private readonly links = new Set<Link>();
  private readonly server: Server;

  private constructor(
    private readonly target: URL,
    mode: Mode,
  ) {
    this.mode = mode;
    this.server = createServer((near) => this.accept(near));
  }

  /** Listens in front of the server that a URL names; without a port, PostgreSQL's. */
  static async before(url: string, mode: Mode = 'forwarding'): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url), mode);
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** The same URL through the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Ends all connections, and every new one at once. */
  cut(): void {
    this.mode = 'away';
    this.endAll();
  }

  /** Leaves all connections open and lets nothing through any more, as a network that drops every packet. */
  freeze(): void {
    this.mode = 'frozen';
    for (const { near, far } of this.links) {
      near.pause();
      far?.pause();
    }
  }

  /** Lets requests through, and cuts the connection of each when its answer comes. */
  mute(): void {
    this.mode = 'mute';
  }

  /** Forwards again. What was frozen is cut: whoever waited on it has gone. */
  restore(): void {
    this.endAll();
    this.mode = 'forwarding';
  }

  async close(): Promise<void> {
    this.endAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    near.on('error', () => near.destroy());
    if (this.mode === 'away') {
      near.destroy();
      return;
    }
    const link: Link = { near, far: undefined };
    this.links.add(link);
    near.on('close', () => {
      this.links.delete(link);
      link.far?.destroy();
    });
    if (this.mode === 'frozen') return;
    const far = connect(Number(this.target.port || 5432), this.target.hostname);
    link.far = far;
    far.on('error', () => far.destroy());
    far.on('close', () => near.destroy());
    // Not pipe(): it would resume what freeze() has paused as soon as there is room to write.
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => (this.mode === 'mute' ? near.destroy() : near.write(bytes)));
  }

  private endAll(): void {
    for (const { near, far } of this.links) {
      near.destroy();
      far?.destroy();
    }
  }
}
