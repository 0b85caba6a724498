import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest, overloaded } from '../../common/errors/common.errors.js';
import { MAX_BODY_BYTES, MAX_BODY_CHUNKS } from '../../common/errors/errors.js';
import { afterResponses, closeSlowly, type Connections } from '../server/connections.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body, set by BodyGuard. */
    rawBody?: Buffer;
  }
}

const EMPTY = Buffer.alloc(0);
const SMALL_BLOCK_BYTES = 4 * 1024;
/** The bound on the blocks of 64 KiB that all bodies use, so that slow callers cannot fill the memory: 32 MiB. */
const MAX_LARGE_BLOCKS = 512;
let largeBlocks = 0;

/**
 * From this number on, unused connections are read one per iteration of the event loop. Parsing this many chunks takes about
 * 1 ms. Node parses 64 KiB, up to 11,000 chunks of one byte, in one step that cannot be interrupted.
 */
const MANY_CHUNKS = 1_024;

const BODY = Symbol('body');
type WithBody = IncomingMessage & { [BODY]?: IncomingBody };

/** The body of a message; undefined for a message without one. */
export const bodyOf = (message: IncomingMessage): IncomingBody | undefined => (message as WithBody)[BODY];

/**
 * The body of a message from the arrival of its head on. It takes the place of the message's own buffer, which would keep one
 * Buffer for each chunk while the guards run.
 */
export class IncomingBody {
  /** Why the rest cannot be read: the HTTP parser refuses it, or it takes too long. */
  failure: ApiError | undefined;
  private readonly whole = Promise.withResolvers<Buffer>();
  private block = EMPTY;
  private bytes = 0;
  private chunks = 0;
  private refusal: ApiError | undefined;
  private isOver = false;

  /** Call it once for each message, before any of its body arrives. */
  static collect(message: IncomingMessage, connections: Connections): void {
    const { headers } = message;
    const isChunked = headers['transfer-encoding'] !== undefined;
    const declaredBytes = Number(headers['content-length'] ?? 0);
    if (!isChunked && declaredBytes === 0) return;
    (message as WithBody)[BODY] = new IncomingBody(message, declaredBytes, isChunked, connections);
  }

  private constructor(
    private readonly message: IncomingMessage,
    private readonly declaredBytes: number,
    private readonly isChunked: boolean,
    private readonly connections: Connections,
  ) {
    const push = message.push.bind(message);
    message.push = (chunk: Buffer | null) => {
      if (chunk !== null) return this.take(chunk);
      this.whole.resolve(this.block.subarray(0, this.bytes));
      // The block counts until the body is read or the response is sent, because the guards may take long.
      this.isOver = true;
      return push(null);
    };
    // A caller who leaves makes the stream emit an error as well; `close` follows it.
    message.on('error', ignore).on('close', () => {
      if (!this.isOver) this.stop(badRequest('The request ended before its body was complete.'));
      this.drop();
    });
    // It may never be read.
    this.whole.promise.catch(ignore);
  }

  /**
   * Reads at most 64 KiB. `refusal` is thrown instead when the body turns out not to be empty.
   * @throws ApiError body_too_large, service_unavailable when too many bodies are being read, bad_request for a body that breaks off, or its `failure`
   */
  async read(response: ServerResponse, refusal: ApiError | undefined): Promise<Buffer> {
    const { headers, httpVersion } = this.message;
    const expectsContinue = headers.expect !== undefined && httpVersion === '1.1';
    if (refusal && (expectsContinue || this.declaredBytes > 0 || this.bytes > 0)) throw refusal;
    if (this.declaredBytes > MAX_BODY_BYTES) throw fixedError('body_too_large');
    this.refusal = refusal;
    if (expectsContinue) response.writeContinue();
    this.message.resume();
    const bytes = await this.whole.promise;
    this.drop();
    return bytes;
  }

  /** Ends the reading: the request is answered with `error`, and its connection is closed. */
  fail(error: ApiError): void {
    this.failure = error;
    this.stop(error);
  }

  /** Reads the rest without keeping it, because the response is being sent. */
  discard(): void {
    this.drop();
    if (!this.failure) this.message.resume();
  }

  /** Adds a chunk to the block. False pauses the connection. */
  private take(chunk: Buffer): boolean {
    if (this.isChunked) this.chunks += 1;
    if (this.chunks === MANY_CHUNKS) this.connections.readUnusedOneByOne();
    if (this.chunks > MAX_BODY_CHUNKS) {
      // Pausing again for each remaining chunk is expensive.
      if (this.failure) return true;
      this.fail(badRequest(`The body may come in at most ${MAX_BODY_CHUNKS} chunks.`));
      const { socket } = this.message;
      afterResponses(socket, () => closeSlowly(socket));
      return false;
    }
    if (!this.isOver) this.keep(chunk);
    return true;
  }

  private keep(chunk: Buffer): void {
    const bytes = this.bytes + chunk.length;
    if (this.refusal) this.stop(this.refusal);
    else if (bytes > MAX_BODY_BYTES) this.stop(fixedError('body_too_large'));
    else if (bytes > this.block.length) this.grow(bytes > SMALL_BLOCK_BYTES);
    // Nothing fits into the block of a stopped body.
    chunk.copy(this.block, this.bytes);
    this.bytes = bytes;
  }

  private grow(isLarge: boolean): void {
    if (isLarge && largeBlocks === MAX_LARGE_BLOCKS) {
      this.stop(overloaded());
      return;
    }
    if (isLarge) largeBlocks += 1;
    const smallBytes = Math.min(this.declaredBytes || SMALL_BLOCK_BYTES, SMALL_BLOCK_BYTES);
    const larger = Buffer.allocUnsafe(isLarge ? MAX_BODY_BYTES : smallBytes);
    this.block.copy(larger, 0, 0, this.bytes);
    this.block = larger;
  }

  private stop(error: ApiError): void {
    this.whole.reject(error);
    this.drop();
  }

  private drop(): void {
    if (this.block.length === MAX_BODY_BYTES) largeBlocks -= 1;
    this.block = EMPTY;
    this.isOver = true;
  }
}

/** The bytes of the body; empty without a body. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return request.rawBody ?? EMPTY;
}

const ignore = () => undefined;
