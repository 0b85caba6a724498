import type { FastifyRequest } from 'fastify';

/** How often the request has a header. Where only one is allowed, Node keeps the first and drops the others. */
export function countHeader(request: FastifyRequest, name: string): number {
  const { rawHeaders } = request.raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index];
    if (field?.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}
