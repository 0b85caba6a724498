import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/*
 * `context.switchToHttp()` makes three functions at every call, and most guards ask at every request. So the
 * service reads the arguments themselves (docs/performance.md).
 */

/** The request behind the context of a guard, a parameter or a filter. */
export const requestOf = (context: ArgumentsHost): FastifyRequest => context.getArgByIndex<FastifyRequest>(0);

/** The reply to it. */
export const replyOf = (context: ArgumentsHost): FastifyReply => context.getArgByIndex<FastifyReply>(1);
