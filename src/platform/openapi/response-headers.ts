import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../auth/plans.js';
import { MAX_UNIX_SECONDS } from '../../rate-limit/dto/rate-limit.dto.js';
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency/idempotency.errors.js';
import { REPLAYED_HEADER } from '../idempotency/idempotency.js';
import {
  LIMIT_HEADER,
  LIMIT_HEADERS,
  POLICY_HEADER,
  REMAINING_HEADER,
  RESET_HEADER,
  STATE_HEADER,
} from '../../rate-limit/limit-headers.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Header {
  description: string;
  required?: true;
  schema: Record<string, unknown>;
  example?: string | number;
}

const header = (description: string, schema: Record<string, unknown>, example?: string | number): Header => ({
  description,
  required: true,
  schema,
  ...(example === undefined ? {} : { example }),
});
const optional = ({ required: _, ...of }: Header): Header => of;

const text = (maxLength: number) => ({ type: 'string', maxLength });
const COUNT = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_LIMIT };
const SECONDS_A_DAY = 86_400;
const HEADERS = {
  'X-Request-Id': header("The caller's request id if it is valid, else a new one.", {
    ...text(64),
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  }),
  'X-Content-Type-Options': header('Always nosniff.', { const: 'nosniff' }),
  'Cache-Control': header('Always private, no-cache.', { const: 'private, no-cache' }),
  'X-Stability': header("The operation's stability mark.", { enum: ['stable', 'beta', 'experimental'] }),
  ETag: header(
    'The tag of this state, for If-None-Match and If-Match.',
    text(64),
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  Link: header(
    'The next page, or the successor of a deprecated operation (RFC 8288).',
    text(16_384),
    '</v1/pets?limit=20&cursor=AQAAAAAAAAAUyR8wtOiMzOXm7DVH>; rel="next"',
  ),
  'X-Next-Cursor': header('The cursor of the next page.', {
    ...text(256),
    pattern: '^[A-Za-z0-9_-]+$',
  }),
  Location: header('The address of the new resource.', text(2_048), '/v1/pets/42'),
  'Idempotent-Replayed': header('The stored response of an earlier request with this Idempotency-Key.', {
    const: 'true',
  }),
  Deprecation: header(
    'When the operation was deprecated, in Unix seconds (RFC 9745).',
    { ...text(32), pattern: '^@\\d+$' },
    '@1795132800',
  ),
  Sunset: header(
    'When the operation will be removed (RFC 8594).',
    { ...text(29), pattern: ' GMT$' },
    'Thu, 05 Dec 2030 00:00:00 GMT',
  ),
  [LIMIT_HEADER]: header('The limit of the tightest window.', COUNT, 60),
  [REMAINING_HEADER]: header('Requests left in that window.', COUNT, 59),
  [RESET_HEADER]: header(
    'When that window ends, in Unix seconds.',
    { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_UNIX_SECONDS },
    1_795_132_860,
  ),
  [POLICY_HEADER]: header(
    'The quota and the seconds of every window.',
    text(128),
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  [STATE_HEADER]: header(
    'What is left of every window, and the seconds until it resets.',
    text(128),
    '"minute";r=59;t=42, "day";r=999;t=51234',
  ),
  'WWW-Authenticate': header('How to authenticate (RFC 6750).', text(128), 'Bearer realm="animal-store"'),
  'Retry-After': header(
    'Seconds after which to retry.',
    { type: 'integer', format: 'int32', minimum: 1, maximum: SECONDS_A_DAY },
    1,
  ),
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;

/** The HTTP parser answers these before the operation is known, so the operation's headers may be missing. */
const PARSER_STATUSES = new Set([400, 408, 431]);

/** The headers of one response of an operation, by name. */
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
  if (status === 200 || status === 201 || status === 304) add('ETag');
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
