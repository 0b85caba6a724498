import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections on which nothing has come yet. Node does not count them as idle, and would wait for them when it closes. */
export class UnusedConnections {
  private readonly open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  close(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }
}
