import type { FastifyRequest } from 'fastify';
import { RequestSlot } from './request-slot.js';

const bodies = new RequestSlot<Buffer>('rawBody');
const EMPTY = Buffer.alloc(0);

/** Keeps a body's bytes for as long as its request lives. */
export function rememberRawBody(request: FastifyRequest, body: Buffer): void {
  bodies.set(request, body);
}

/** The body as it came, byte for byte; empty where there was none. */
export function rawBodyOf(request: FastifyRequest): Buffer {
  return bodies.get(request) ?? EMPTY;
}
