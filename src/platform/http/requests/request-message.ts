import { IncomingMessage } from 'node:http';
import type { ApiError } from '../../common/errors/api-error.js';
import { MAX_BODY_CHUNKS } from '../../common/size-limits.js';

/** A request of Node's HTTP server, for the `IncomingMessage` option of `createServer`. */
export class RequestMessage extends IncomingMessage {
  /** Why the rest of the body cannot be read: the HTTP parser refuses it, or it takes too long. */
  failure: ApiError | undefined;
  private chunks = 0;

  /** Ends the reading of the body. Emits `failure` with the error. */
  fail(error: ApiError): void {
    this.failure = error;
    this.emit('failure', error);
  }

  /** Node keeps a Buffer for each chunk until the body is read, so a body in too many chunks ends the connection. */
  override push(chunk: unknown): boolean {
    if (chunk !== null && this.headers['transfer-encoding'] !== undefined) this.chunks += 1;
    if (this.chunks <= MAX_BODY_CHUNKS) return super.push(chunk);
    this.socket.destroy();
    return false;
  }
}
