import { RETRY_AFTER_HEADER } from '../../common/errors/common.errors.js';

/** An operation as the OpenAPI document describes it, as far as its headers depend on it. */
export interface DocumentedOperation {
  operationId?: string | undefined;
  deprecated?: boolean | undefined;
  parameters?: readonly object[] | undefined;
  responses?: Readonly<Record<string, unknown>> | undefined;
}

/** `sometimes`: the document shows the header and does not require it. */
type Presence = 'always' | 'sometimes' | 'never';

/** One response header: what sets it, what CORS exposes and what the document declares come from this row. */
export interface ResponseHeader {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string | number;
  /** Not exposed to pages of other origins (CORS), because no program reads it. */
  readonly isHidden?: true;
  /** Which responses of an operation carry it. */
  readonly on: (status: number, operation: DocumentedOperation) => Presence;
}

/** The name as Fastify keeps it. It would convert another spelling for each response. */
export const keptName = ({ name }: Pick<ResponseHeader, 'name'>) => name.toLowerCase();

/** The HTTP parser answers these before the operation is known, so the operation's headers may be missing. */
const PARSER_STATUSES = new Set([400, 408, 431]);

export const textSchema = (maxLength: number) => ({ type: 'string', maxLength });
export const always = (): Presence => 'always';
export const onStatus =
  (...statuses: number[]) =>
  (status: number): Presence =>
    statuses.includes(status) ? 'always' : 'never';
/** Responses of the operation itself, not of the HTTP parser. */
export const onceRouted = (status: number): Presence =>
  PARSER_STATUSES.has(status) ? 'sometimes' : 'always';
export const takesHeader = ({ parameters = [] }: DocumentedOperation, name: string) =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === name);
const ofDeprecated = (status: number, { deprecated }: DocumentedOperation): Presence =>
  deprecated ? onceRouted(status) : 'never';
const showsList = ({ responses }: DocumentedOperation) =>
  JSON.stringify(responses?.['201'] ?? {}).includes('"type":"array"');
const isPage = (status: number, { operationId }: DocumentedOperation) =>
  (status === 200 || status === 304) && operationId?.startsWith('list');

export const REQUEST_ID = {
  name: 'X-Request-Id',
  description: "The caller's request id if it is valid, else a new one.",
  schema: { ...textSchema(64), pattern: '^[A-Za-z0-9._-]{1,64}$' },
  on: always,
} as const satisfies ResponseHeader;

export const CONTENT_TYPE_OPTIONS = {
  name: 'X-Content-Type-Options',
  description: 'Always nosniff.',
  schema: { const: 'nosniff' },
  isHidden: true,
  on: always,
} as const satisfies ResponseHeader;

export const CACHE_CONTROL = {
  name: 'Cache-Control',
  description: 'Always private, no-cache.',
  schema: { const: 'private, no-cache' },
  isHidden: true,
  on: always,
} as const satisfies ResponseHeader;

export const STABILITY = {
  name: 'X-Stability',
  description: "The operation's stability mark.",
  schema: { enum: ['stable', 'beta', 'experimental'] },
  on: onceRouted,
} as const satisfies ResponseHeader;

export const DEPRECATION = {
  name: 'Deprecation',
  description: 'When the operation was deprecated, in Unix seconds (RFC 9745).',
  schema: { ...textSchema(32), pattern: '^@\\d+$' },
  example: '@1795132800',
  on: ofDeprecated,
} as const satisfies ResponseHeader;

export const SUNSET = {
  name: 'Sunset',
  description: 'When the operation will be removed (RFC 8594).',
  schema: { ...textSchema(29), pattern: ' GMT$' },
  example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  on: ofDeprecated,
} as const satisfies ResponseHeader;

export const LINK = {
  name: 'Link',
  description:
    'The next page (`next`), the explanation of an error (`help`), or the successor of a deprecated operation (RFC 8288).',
  schema: textSchema(16_384),
  example: '</docs/errors#invalid_parameter>; rel="help"',
  on: (status, operation) => {
    if (status >= 400 || operation.deprecated) return 'always';
    return isPage(status, operation) ? 'sometimes' : 'never';
  },
} as const satisfies ResponseHeader;

export const NEXT_CURSOR = {
  name: 'X-Next-Cursor',
  description: 'The cursor of the next page.',
  schema: { ...textSchema(256), pattern: '^[A-Za-z0-9_-]+$' },
  on: (status, operation) => (isPage(status, operation) ? 'sometimes' : 'never'),
} as const satisfies ResponseHeader;

export const ETAG = {
  name: 'ETag',
  description: 'The tag of this state, for If-None-Match and If-Match.',
  schema: textSchema(64),
  example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  on: onStatus(200, 201, 304),
} as const satisfies ResponseHeader;

export const LOCATION = {
  name: 'Location',
  description: 'The address of the new resource.',
  schema: textSchema(2_048),
  example: '/v1/pets/42',
  // Several new resources have no address together.
  on: (status, operation) => (status === 201 && !showsList(operation) ? 'always' : 'never'),
} as const satisfies ResponseHeader;

export const RETRY_AFTER = {
  name: RETRY_AFTER_HEADER,
  description: 'Seconds after which to retry.',
  schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
  example: 1,
  on: (status, operation) => {
    if (status === 429 || status === 503) return 'always';
    return status === 409 && takesHeader(operation, 'Idempotency-Key') ? 'sometimes' : 'never';
  },
} as const satisfies ResponseHeader;

/** The headers that belong to no feature. */
export const HTTP_HEADERS: readonly ResponseHeader[] = [
  REQUEST_ID,
  CONTENT_TYPE_OPTIONS,
  CACHE_CONTROL,
  STABILITY,
  DEPRECATION,
  SUNSET,
  LINK,
  NEXT_CURSOR,
  ETAG,
  LOCATION,
  RETRY_AFTER,
];
