import { TcpProxy } from './tcp-proxy.js';

/** A proxy between a service and its PostgreSQL server that counts executions of named statements. */
export class StatementTap {
  private constructor(
    private readonly proxy: TcpProxy,
    private readonly connections: readonly { received: string }[],
  ) {}

  static async before(url: string): Promise<StatementTap> {
    // Apart from each other, because a message may arrive in pieces.
    const connections: { received: string }[] = [];
    const proxy = await TcpProxy.before(url, 'forwarding', (near) => {
      const connection = { received: '' };
      connections.push(connection);
      near.on('data', (bytes) => (connection.received += bytes.toString('latin1')));
    });
    return new StatementTap(proxy, connections);
  }

  get url(): string {
    return this.proxy.url;
  }

  /** Counts Bind messages: their type, four bytes of length, no portal, the statement's name. */
  count(statement: string): number {
    const bind = new RegExp(`B[^]{4}\\0${statement}\\0`, 'g');
    return this.connections.reduce((count, { received }) => count + (received.match(bind)?.length ?? 0), 0);
  }
}
