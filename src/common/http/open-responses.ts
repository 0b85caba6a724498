import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The answers under way on a connection, oldest first, for the order of answers to pipelined requests. */
const openResponses = new WeakMap<Socket, ServerResponse[]>();

export function rememberResponse(socket: Socket, response: ServerResponse): void {
  const open = openResponses.get(socket)?.filter((earlier) => !earlier.writableFinished) ?? [];
  openResponses.set(socket, [...open, response]);
}

/** Calls back once every answer to a request that has come whole is out: at once where there is none under way. */
export function afterOpenResponses(socket: Socket, then: () => void): void {
  const last = (openResponses.get(socket) ?? [])
    .filter((response) => !response.writableFinished && response.req.complete)
    .at(-1);
  if (last) last.once('close', then);
  else then();
}
