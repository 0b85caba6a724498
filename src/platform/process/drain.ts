import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Lifecycle } from '../common/lifecycle.js';
import { flushLog } from '../telemetry/logging/log-destination.js';

/**
 * Returns what a signal starts: the service drains, closes and exits with 0. `delayMs`: how long it goes on answering first;
 * `closeWithinMs`: how long a request under way may then take.
 */
export function drainOf(
  app: NestFastifyApplication,
  lifecycle: Lifecycle,
  logger: Logger,
  delayMs: number,
  closeWithinMs: number,
): (signal: NodeJS.Signals) => void {
  const server = app.getHttpServer();
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const drain = async (signal: NodeJS.Signals) => {
    if (lifecycle.state === 'draining') return;
    lifecycle.state = 'draining';
    logger.info({ signal }, 'draining');
    // A load balancer must see that the service is not ready before connections are refused.
    await pause(delayMs);
    const deadline = setTimeout(() => cutOff(server, logger), closeWithinMs);
    const closing = app.close();
    // Node does not count an unused connection as idle, and would wait for it.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    await closing;
    clearTimeout(deadline);
    logger.info('stopped');
    await flushLog();
    process.exit(0);
  };
  return (signal) => {
    drain(signal).catch((error: unknown) => {
      logger.fatal({ err: error }, 'failed while stopping');
      process.exit(1);
    });
  };
}

function cutOff(server: Server, logger: Logger): void {
  server.getConnections((_error, connections) => {
    if (connections > 0) logger.warn({ connections }, 'cut off requests that did not end');
    server.closeAllConnections();
  });
}
