import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between a service and its PostgreSQL server and counts how often a named statement is run. */
export class StatementTap {
  private readonly heard: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((near) => this.accept(near));
  }

  static async before(url: string): Promise<StatementTap> {
    const tap = new StatementTap(new URL(url));
    await once(tap.server.listen(0, '127.0.0.1'), 'listening');
    return tap;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(this.target), { host: `127.0.0.1:${port}` }).href;
  }

  /** A statement is run by a Bind message: its type, four bytes of length, no portal, the statement's name. */
  count(statement: string): number {
    const bind = new RegExp(`B[^]{4}\\0${statement}\\0`, 'g');
    return this.heard.reduce((count, text) => count + (text.match(bind)?.length ?? 0), 0);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    const far = connect(Number(this.target.port || 5432), this.target.hostname);
    const index = this.heard.push('') - 1;
    near.on('data', (bytes) =>
      this.heard.splice(index, 1, (this.heard[index] ?? '') + bytes.toString('latin1')),
    );
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }
}
