import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterOpenReplies } from './open-replies.js';

/** Hands to the application what Node would answer itself, or not at all: then it is answered like anything else. */
export function routeEverything(server: Server): void {
  // No header is dropped unseen; together they are bounded in bytes.
  server.maxHeadersCount = 0;
  // Node answers an unknown expectation with a bare 417.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  // Node closes the connection of a CONNECT without a word.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    // A connection carries one answer at a time, and those to requests before this one may be under way.
    afterOpenReplies(socket, () => {
      if (!socket.writable) return;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      // Nobody reads this connection any more, so that the caller's end of it would never be seen.
      response.on('finish', () => socket.destroySoon());
      server.emit('request', request, response);
    });
  });
}
