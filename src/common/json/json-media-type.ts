/** What every JSON answer says it is, in full: Fastify sends a text of this type as it is. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';
