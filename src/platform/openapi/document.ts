import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { MAX_HEADER_BYTES } from '../common/errors/errors.js';
import { INT64_MAX, INT64_MIN } from '../common/int64.js';
import type { Config } from '../config/config.js';
import { Links } from '../http/responses/links.js';
import { ErrorDto } from '../http/operations/schemas.js';
import { KEY_EVENTS_SCHEMA, KEYS_SCHEMA } from '../../auth/keys/dto/keys.dto.js';
import { PETS_SCHEMA } from '../../pets/dto/pets.dto.js';
import { USAGE_DAYS_SCHEMA } from '../../rate-limit/usage/dto/usage.dto.js';
import { ORDERS_SCHEMA } from '../../store/dto/store.dto.js';
import { headersOf } from './response-headers.js';
import { shareComponents } from './shared-components.js';

const VERSION_PREFIX = '/v1';
/** `DOCS` is the address of the documentation. */
const DESCRIPTION = `An HTTP API for a store of animals: a catalogue, orders, and what is left of the limits of a key.

- **Authentication.** Every operation needs an API key: \`Authorization: Bearer ask_…\`.
- **Identifiers** are int64 and exact JSON numbers. Read them with a parser that keeps all digits.
- **Limits.** Every response shows what is left: \`X-RateLimit-Remaining: 59\`. A 429 says when to retry: \`Retry-After: 12\`.
- **Errors** are \`{"code": …, "message": …, "status": …}\`. [Every code](DOCS/errors) has a meaning and a remedy; the set is closed
  within a release.
- **Retries.** A POST with an \`Idempotency-Key\` is safe to repeat for 24 hours.
- **Stability.** \`stable\` operations only gain, \`beta\` ones break with 90 days' notice, \`experimental\` ones without.`;

/** Where callers find the people behind the service. A publisher replaces the reserved domain, as in packages/client/package.json. */
const CONTACT = { name: 'Animal store', url: 'https://animal-store.example' };

const NOT_MODIFIED = { description: 'Not changed: the ETag matches If-None-Match.' };
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header' as const,
  required: false,
  description:
    'The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body.',
  schema: { type: 'string' as const, maxLength: MAX_HEADER_BYTES },
};

/** Schemas of arrays, because Nest documents classes only. */
const ARRAYS = [PETS_SCHEMA, ORDERS_SCHEMA, USAGE_DAYS_SCHEMA, KEYS_SCHEMA, KEY_EVENTS_SCHEMA];

/** Rules of request bodies that Nest cannot express: no unknown fields, and at least one field in an update. */
const STRICT = { additionalProperties: false };
const BODIES = {
  NewPet: STRICT,
  PetUpdate: { ...STRICT, minProperties: 1 },
  NewOrder: STRICT,
  NewKey: STRICT,
  KeyUpdate: { ...STRICT, minProperties: 1 },
  KeyRotation: STRICT,
  NoBody: STRICT,
};

export type Environments = Partial<Pick<Config, 'publicBaseUrl' | 'stagingBaseUrl'>>;

type PathItem = OpenAPIObject['paths'][string];
type OpenApiOperation = NonNullable<PathItem['get']>;

/** The OpenAPI 3.1 document of version 1. Without environments it equals the committed openapi.json. */
export function buildDocument(app: INestApplication, environments: Environments): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal store')
    .setVersion('1.0.0')
    .setDescription(DESCRIPTION.replace('DOCS', new Links(environments.publicBaseUrl).docs))
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addTag('Pets', 'The catalogue of animals.')
    .addTag('Store', 'Orders of animals.')
    .addTag('Keys', 'API keys: issue, change and revoke them.')
    .addTag('Limits', 'What is left of the limits, and what was used.')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'ask_…',
        description: 'An API key: `ask_…`.',
      },
      'apiKey',
    );
  for (const [url, description] of serversOf(environments)) builder.addServer(url, description);
  const generated = SwaggerModule.createDocument(app, builder.build(), { extraModels: [ErrorDto] });
  const schemas = { ...generated.components?.schemas };
  for (const { name, schema } of ARRAYS) Object.assign(schemas, { [name]: schema });
  for (const [name, rules] of Object.entries(BODIES)) schemas[name] = { ...schemas[name], ...rules };
  const document = {
    ...generated,
    info: { ...generated.info, contact: CONTACT },
    paths: Object.fromEntries(
      Object.entries(generated.paths).map(([path, item]) => [
        path.slice(VERSION_PREFIX.length),
        completed(item),
      ]),
    ),
    components: { ...generated.components, schemas },
  };
  shareComponents(document);
  return withInt64Bounds(document);
}

/** Production first. */
function serversOf({ publicBaseUrl, stagingBaseUrl }: Environments): [url: string, description: string][] {
  const servers: [string, string][] = [];
  if (publicBaseUrl !== undefined) servers.push([publicBaseUrl, 'Production']);
  if (stagingBaseUrl !== undefined) servers.push([stagingBaseUrl, 'Staging']);
  return servers.length > 0 ? servers : [[VERSION_PREFIX, 'This server']];
}

/** Adds to every response the headers that follow from the operation and the status. */
function completed(item: PathItem): PathItem {
  const entries = Object.entries(item).map(([method, operation]: [string, OpenApiOperation]) => {
    const given = { ...operation.responses, ...(method === 'get' ? { 304: NOT_MODIFIED } : {}) };
    const responses = Object.entries(given).map(([status, response]) => [
      status,
      { ...response, headers: headersOf(operation, Number(status)) },
    ]);
    const parameters = [...(operation.parameters ?? []), ...(method === 'get' ? [IF_NONE_MATCH] : [])];
    return [
      method,
      { ...operation, parameters, responses: Object.fromEntries(responses) as OpenApiOperation['responses'] },
    ];
  });
  return Object.fromEntries(entries) as PathItem;
}

/** The same document, where every int64 without bounds of its own has those of an int64. Doubles cannot hold them, so they are bigints. */
function withInt64Bounds<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(withInt64Bounds) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) copy[name] = withInt64Bounds(value as unknown);
  if (copy.format === 'int64') {
    copy.minimum ??= INT64_MIN;
    copy.maximum ??= INT64_MAX;
  }
  return copy as Node;
}
