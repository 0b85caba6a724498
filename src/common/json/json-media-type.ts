/** The Content-Type of every JSON response. With the charset included, Fastify sends a string unchanged. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';
