import type { FastifyRequest } from 'fastify';

/**
 * A place on the request for what one concern learns of it, for as long as the request lives. A property, not a WeakMap:
 * the garbage collector has to walk those, which at thousands of requests a second shows (docs/performance.md).
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
