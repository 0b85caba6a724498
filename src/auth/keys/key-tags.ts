import type { FastifyReply } from 'fastify';
import { stringifyJson } from '../../platform/common/json.js';
import { entityTagOf, type Precondition } from '../../platform/http/responses/etag.js';
import { ETAG } from '../../platform/http/responses/response-headers.js';
import type { KeyDto } from './dto/keys.dto.js';

/** What a precondition compares: everything but the last use, which every request changes. */
function stateOf({ lastUsedAt: _, ...state }: KeyDto): object {
  return state;
}

/** The check of a key that its change is made under. It throws `precondition_failed`. */
export const checkOf = (precondition: Precondition) => (key: KeyDto) => precondition(stateOf(key));

/** Sets the entity tag of a key. A secret beside it has no part in the tag. */
export function tagged(reply: FastifyReply, key: KeyDto): KeyDto {
  const tag = entityTagOf(stringifyJson(stateOf(key)), key.lastUsedAt?.getTime().toString(36));
  void reply.header(ETAG.name, tag);
  return key;
}
