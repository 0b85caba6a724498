import type { Socket } from 'node:net';

/**
 * Node 24 goes on parsing the bytes that it has read after a socket is destroyed, and has no public method to stop. It stops when the
 * parser leaves its server, as it does at the end of a connection. A Node without this method only takes longer.
 */
export function stopParsing(socket: Socket): void {
  (socket as unknown as { parser: { remove?(): void } | null }).parser?.remove?.();
}
