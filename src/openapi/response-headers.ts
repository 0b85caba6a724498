import type { OpenAPIObject } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from '../idempotency/idempotency-names.js';
import {
  LIMIT_HEADER,
  LIMIT_HEADERS,
  POLICY_HEADER,
  REMAINING_HEADER,
  RESET_HEADER,
  STATE_HEADER,
} from '../rate-limit/limit-headers.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Header {
  description: string;
  required: boolean;
  schema: Record<string, unknown>;
  example?: string | number;
}

const header = (description: string, schema: Record<string, unknown>, example?: string | number): Header => ({
  description,
  required: true,
  schema,
  ...(example === undefined ? {} : { example }),
});
const optional = (of: Header): Header => ({ ...of, required: false });

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0 };
const HEADERS = {
  'X-Request-Id': header("The caller's own request id where it was fit to keep, else a fresh one.", {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  }),
  'X-Content-Type-Options': header('Always nosniff.', { const: 'nosniff' }),
  'Cache-Control': header('Always private, no-cache.', { const: 'private, no-cache' }),
  'X-Stability': header("The operation's stability mark.", { enum: ['stable', 'beta', 'experimental'] }),
  ETag: header('The tag of this answer, for If-None-Match.', TEXT, '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  Link: header(
    'Where to go next (RFC 8288).',
    TEXT,
    '</v1/pets?limit=20&cursor=AQAAAAAAAAAUyR8wtOiMzOXm7DVH>; rel="next"',
  ),
  'X-Next-Cursor': header('The cursor of the next page.', { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }),
  Location: header('Where the new thing is.', TEXT, '/v1/pets/42'),
  'Idempotent-Replayed': header('This is the first answer again (Idempotency-Key).', { const: 'true' }),
  Deprecation: header(
    'Since when the operation is deprecated, in Unix seconds (RFC 9745).',
    { type: 'string', pattern: '^@\\d+$' },
    '@1795132800',
  ),
  Sunset: header(
    'When the operation will be removed (RFC 8594).',
    { type: 'string', pattern: ' GMT$' },
    'Thu, 05 Dec 2030 00:00:00 GMT',
  ),
  [LIMIT_HEADER]: header('The limit that applies to the caller, of the tightest window.', COUNT, 60),
  [REMAINING_HEADER]: header('Requests left in that window.', COUNT, 59),
  [RESET_HEADER]: header('When that window ends, in Unix seconds.', COUNT, 1_795_132_860),
  [POLICY_HEADER]: header(
    'Every window: its quota and its seconds.',
    TEXT,
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  [STATE_HEADER]: header(
    'Every window: what is left and the seconds to go.',
    TEXT,
    '"minute";r=59;t=42, "day";r=999;t=51234',
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 6750).', TEXT, 'Bearer realm="animal-store"'),
  'Retry-After': header('Seconds after which to try again.', { type: 'integer', minimum: 1 }, 1),
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;

/** What the HTTP parser refuses is answered before any operation is known, so what follows from one may be missing. */
const PARSER_STATUSES = new Set([400, 408, 414, 431]);

/** The headers of one response of one operation, by name. */
export function headersOf(operation: Operation, status: number): Record<string, Header> {
  const headers: Partial<Record<HeaderName, Header>> = {};
  const add = (...names: HeaderName[]) => {
    for (const name of names) headers[name] = HEADERS[name];
  };
  add('X-Request-Id', 'X-Content-Type-Options', 'Cache-Control');
  const ofOperation: HeaderName[] = ['X-Stability', ...LIMIT_HEADERS];
  if (operation.deprecated) ofOperation.push('Deprecation', 'Sunset', 'Link');
  for (const name of ofOperation)
    headers[name] = PARSER_STATUSES.has(status) ? optional(HEADERS[name]) : HEADERS[name];
  if (status === 200 || status === 304) add('ETag');
  const isRepeatable = (operation.parameters ?? []).some(
    (p) => 'name' in p && p.name === IDEMPOTENCY_KEY_HEADER,
  );
  if (isRepeatable && status < 300) headers[REPLAYED_HEADER] = optional(HEADERS[REPLAYED_HEADER]);
  if (isRepeatable && status === 409) headers['Retry-After'] = optional(HEADERS['Retry-After']);
  if (operation.operationId?.startsWith('list') && (status === 200 || status === 304)) {
    headers.Link = optional(HEADERS.Link);
    headers['X-Next-Cursor'] = optional(HEADERS['X-Next-Cursor']);
  }
  if (status === 201) add('Location');
  if (status === 401) add('WWW-Authenticate');
  if (status === 429 || status === 503) add('Retry-After');
  return headers;
}
