import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiError } from '../../common/errors/api-error.js';
import { overloaded } from '../../common/errors/common.errors.js';
import { MAX_BODY_PIECES } from '../../common/size-limits.js';
import { stopParsing } from './connection-internals.js';
import { UnfinishedBodies, type UnfinishedBody } from './unfinished-bodies.js';

const unfinished = new UnfinishedBodies();

/** Closes a connection at once. What arrived together may hold hundreds of requests, which would block the event loop. */
export function cut(socket: Socket): void {
  socket.destroy();
  stopParsing(socket);
}

/** A request of Node's HTTP server, for the `IncomingMessage` option of `createServer`. It bounds what Node keeps of bodies. */
export class RequestMessage extends IncomingMessage implements UnfinishedBody {
  /** Why the rest of the body cannot be read: the HTTP parser refuses it, it takes too long, or too much is kept. */
  failure: ApiError | undefined;
  /** Belongs to UnfinishedBodies. */
  held: UnfinishedBody['held'];
  private pieces = 0;

  /** Ends the reading of the body. Emits `failure` with the error. */
  fail(error: ApiError): void {
    this.failure = error;
    this.emit('failure', error);
  }

  /** Discards the body, to make room for others. */
  refuse(): void {
    this.fail(overloaded());
    this.resume();
  }

  /** The body is read, or nobody will read it. */
  forgetBody(): void {
    unfinished.release(this);
  }

  /** Node keeps a Buffer for each piece until the body is read, so a body in too many pieces ends the connection. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) return super.push(chunk);
    if (this.headers['transfer-encoding'] !== undefined) this.pieces += 1;
    if (this.pieces > MAX_BODY_PIECES) {
      cut(this.socket);
      return false;
    }
    unfinished.hold(this, chunk.length);
    return this.failure ? true : super.push(chunk);
  }
}
