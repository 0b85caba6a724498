import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, fixedError } from '../../common/errors/api-error.js';
import { badRequest, overloaded } from '../../common/errors/common.errors.js';
import { MAX_BODY_BYTES } from '../../common/errors/errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body, set by `readBody`. */
    rawBody?: Buffer;
  }
}

const FIRST_BLOCK_BYTES = 4 * 1024;
/** The bound on all bodies that are being read, beyond the first block of each, so that slow callers cannot fill the memory. */
const MAX_BLOCKS_BYTES = 32 * 1024 * 1024;
let blocksBytes = 0;
const EMPTY = Buffer.alloc(0);

const FAILURE = Symbol('bodyFailure');
const FAILED = 'bodyFailed';
type Failing = IncomingMessage & { [FAILURE]?: ApiError };

/** The bytes of the body; empty without a body. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return request.rawBody ?? EMPTY;
}

/** Ends the reading of a body that the HTTP parser refuses, or that takes too long: its request is answered with `error`. */
export function failBody(message: IncomingMessage, error: ApiError): void {
  (message as Failing)[FAILURE] = error;
  message.emit(FAILED, error);
}

/** The error given to `failBody`, if any. */
export function bodyFailure(message: IncomingMessage): ApiError | undefined {
  return (message as Failing)[FAILURE];
}

/**
 * Reads a body of at most 64 KiB and keeps it for `rawBodyOf`. `refusal` is thrown instead when the body turns out not to be
 * empty. Bytes are copied into one block, because every one-byte chunk would otherwise keep a Buffer of its own.
 * @throws ApiError body_too_large, service_unavailable when too many bodies are being read, bad_request for a body that breaks off, or the error given to `failBody`
 */
export async function readBody(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ApiError | undefined,
): Promise<Buffer> {
  const message = request.raw;
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  const expectsContinue = request.headers.expect !== undefined && message.httpVersion === '1.1';
  if (refusal && (declaredBytes > 0 || expectsContinue)) throw refusal;
  if (declaredBytes > MAX_BODY_BYTES) throw fixedError('body_too_large');
  // A destroyed stream emits no more events.
  if (message.destroyed && !message.readableEnded) throw brokenOff();
  if (expectsContinue) reply.raw.writeContinue();
  request.rawBody = await new Promise<Buffer>((resolve, reject) => {
    let block = Buffer.allocUnsafe(Math.min(declaredBytes || FIRST_BLOCK_BYTES, FIRST_BLOCK_BYTES));
    let bytes = 0;
    let reservedBytes = 0;
    const stop = () => {
      message.off('data', take).off('end', end).off('close', breakOff).off(FAILED, fail);
      blocksBytes -= reservedBytes;
    };
    const end = () => {
      stop();
      resolve(block.subarray(0, bytes));
    };
    const fail = (error: ApiError) => {
      stop();
      // Node discards the rest of a body only when nothing has read from it.
      message.resume();
      reject(error);
    };
    const breakOff = () => fail(brokenOff());
    const take = (chunk: Buffer) => {
      if (refusal) fail(refusal);
      else if (bytes + chunk.length > MAX_BODY_BYTES) fail(fixedError('body_too_large'));
      else {
        if (bytes + chunk.length > block.length) {
          const size = Math.min(MAX_BODY_BYTES, declaredBytes || 2 * (bytes + chunk.length));
          if (blocksBytes + size - reservedBytes > MAX_BLOCKS_BYTES) {
            fail(overloaded());
            return;
          }
          blocksBytes += size - reservedBytes;
          reservedBytes = size;
          const larger = Buffer.allocUnsafe(size);
          block.copy(larger, 0, 0, bytes);
          block = larger;
        }
        bytes += chunk.copy(block, bytes);
      }
    };
    message.on('data', take).on('end', end).on('close', breakOff).on(FAILED, fail);
    // A caller who leaves makes the stream emit an error as well; `close` follows it.
    message.on('error', ignore);
  });
  return request.rawBody;
}

const brokenOff = () => badRequest('The request ended before its body was complete.');
const ignore = () => undefined;
