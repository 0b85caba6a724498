import type { FastifyRequest } from 'fastify';

/**
 * Stores one value on a request, under a symbol. Not a WeakMap, because the garbage collector walks WeakMaps, which
 * is measurable at thousands of requests a second (docs/performance.md).
 */
export class RequestSlot<Value> {
  private readonly key: symbol;

  constructor(name: string) {
    this.key = Symbol(name);
  }

  get(request: FastifyRequest): Value | undefined {
    return (request as unknown as Record<symbol, Value | undefined>)[this.key];
  }

  /** Returns the value. */
  set(request: FastifyRequest, value: Value): Value {
    (request as unknown as Record<symbol, Value>)[this.key] = value;
    return value;
  }
}
