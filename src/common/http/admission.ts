import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * One question a request must pass before anything else is found wrong with it: who sent it, is there room for
 * it, may that caller do it. Guards ask them in order; the error filter asks them where no guard
 * ran (no route, broken body). A step asked twice about one request gives the same answer at no further cost.
 */
export interface AdmissionStep {
  /** Throws an ApiError when the request goes no further. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
}

/** The steps in the order they are taken: app.module.ts. */
export const ADMISSION_STEPS = Symbol('ADMISSION_STEPS');
