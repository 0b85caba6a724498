import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { requestOf } from '../platform/http/requests/context.js';
import { documentedBy, lastPipe } from '../platform/http/operations/documented-argument.js';
import { ApiErrors } from '../platform/http/operations/schemas.js';
import { AUTH_ERRORS } from './auth.errors.js';
import { callerKeyOf } from './caller.js';
import { keyIdOfPath } from './key-of-path.js';
import type { CallerKey } from './caller-key.js';

/** The path parameter that names a key. With it as `selfParam` of an operation a key calls it for itself. */
export const KEY_PARAM = 'keyId';

interface NamedKey {
  text: string;
  caller: CallerKey;
}

const namedKey = createParamDecorator((_data: unknown, context: ExecutionContext): NamedKey => {
  const request = requestOf(context);
  return { text: (request.params as Record<string, string>)[KEY_PARAM] ?? '', caller: callerKeyOf(request) };
});

const toId = lastPipe(({ text, caller }: NamedKey) => keyIdOfPath(text, caller));

/** The id of the key that the path names, as an argument of a handler, with its documentation and its 404. `own`: `me` is meant too. */
export const KeyId = (which: 'any' | 'own' = 'any'): ParameterDecorator =>
  documentedBy(
    applyDecorators(
      ApiParam({
        name: KEY_PARAM,
        description:
          which === 'own' ? 'The identifier of the key, or `me` for your own.' : 'The identifier of the key.',
        schema: {
          ...{ type: 'string', maxLength: 36 },
          example: which === 'own' ? 'me' : 'c9e9cb7c-0000-4000-8000-000000000000',
        },
      }),
      ApiErrors(AUTH_ERRORS.key_not_found),
    ),
    namedKey(toId),
  );
