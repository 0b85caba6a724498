import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests one connection may have unanswered. A connection with more is closed. */
const MAX_UNANSWERED = 16;

/** The state of one connection. */
interface Connection {
  unanswered: number;
  /** The newest response, until it is sent and its request has arrived completely. */
  last: ServerResponse | undefined;
  /** The HTTP parser has refused a message. */
  isRefused: boolean;
}

const connections = new WeakMap<Socket, Connection>();

/** The state of a connection; created by the first access. */
export function connectionOf(socket: Socket): Connection {
  let connection = connections.get(socket);
  if (!connection)
    connections.set(socket, (connection = { unanswered: 0, last: undefined, isRefused: false }));
  return connection;
}

/** Counts a request until its response is sent. False: the connection is closed, and the request must not be handled. */
export function admitRequest(socket: Socket, response: ServerResponse): boolean {
  // Node goes on to emit requests that it has read from a closed connection.
  if (socket.destroyed) return false;
  const connection = connectionOf(socket);
  if (connection.unanswered === MAX_UNANSWERED) {
    socket.destroy();
    return false;
  }
  connection.unanswered += 1;
  connection.last = response;
  response.once('close', () => {
    connection.unanswered -= 1;
    // An idle connection keeps nothing of its last request.
    if (connection.last === response && response.req.complete) connection.last = undefined;
  });
  return true;
}
