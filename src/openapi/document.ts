import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorDto } from '../common/errors/error.dto.js';
import { PETS_SCHEMA } from '../pets/dto/pets.schema.js';
import { USAGE_DAYS_SCHEMA } from '../rate-limit/dto/usage.dto.js';
import { ORDERS_SCHEMA } from '../store/dto/orders.schema.js';
import { headersOf } from './response-headers.js';

const VERSION_PREFIX = '/v1';
const DESCRIPTION = `An HTTP API for a store of animals.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Identifiers are int64 and travel as JSON
numbers, exactly; read them with a parser that keeps all digits. Every answer says how much of the limits is left. Errors carry \`code\`, \`message\` and \`status\`;
the set of codes is closed.

Stability: \`stable\` operations are only ever added to, \`beta\` ones change with 90 days' notice, \`experimental\`
ones without notice.`;

const NOT_MODIFIED = { description: 'The caller holds this answer already (If-None-Match).' };
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header' as const,
  required: false,
  description: 'The ETag of an answer the caller holds; 304 when it is still the same.',
  schema: { type: 'string' as const },
};

/** What Nest, which documents classes only, leaves out. */
const ARRAYS = [PETS_SCHEMA, ORDERS_SCHEMA, USAGE_DAYS_SCHEMA];

/** What Nest cannot say of request bodies: a field that is not named is refused, and a change changes something. */
const STRICT = { additionalProperties: false };
const BODIES = {
  NewPet: STRICT,
  PetUpdate: { ...STRICT, minProperties: 1 },
  NewOrder: STRICT,
  NoBody: STRICT,
};

export interface Environments {
  publicBaseUrl?: string | undefined;
  stagingBaseUrl?: string | undefined;
}

type PathItem = OpenAPIObject['paths'][string];
type OpenApiOperation = NonNullable<PathItem['get']>;

/** The OpenAPI 3.1 document of version 1, from the code. Without environments it is the one committed as openapi.json. */
export function buildDocument(app: INestApplication, environments: Environments): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Animal store')
    .setVersion('1.0.0')
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addTag('Pets', 'The catalogue of animals.')
    .addTag('Store', 'Orders of animals.')
    .addTag('Limits', 'What a key may still do.')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'ask_…',
        description: 'An API key, as issued: `ask_…`.',
      },
      'apiKey',
    );
  for (const [url, description] of serversOf(environments)) builder.addServer(url, description);
  const generated = SwaggerModule.createDocument(app, builder.build(), { extraModels: [ErrorDto] });
  const schemas = { ...generated.components?.schemas };
  for (const { name, schema } of ARRAYS) Object.assign(schemas, { [name]: schema });
  for (const [name, rules] of Object.entries(BODIES)) schemas[name] = { ...schemas[name], ...rules };
  return {
    ...generated,
    paths: Object.fromEntries(
      Object.entries(generated.paths).map(([path, item]) => [
        path.slice(VERSION_PREFIX.length),
        completed(item),
      ]),
    ),
    components: { ...generated.components, schemas },
  };
}

/** Production first. */
function serversOf({ publicBaseUrl, stagingBaseUrl }: Environments): [url: string, description: string][] {
  const servers: [string, string][] = [];
  if (publicBaseUrl !== undefined) servers.push([publicBaseUrl, 'Production']);
  if (stagingBaseUrl !== undefined) servers.push([stagingBaseUrl, 'Staging']);
  return servers.length > 0 ? servers : [[VERSION_PREFIX, 'This server']];
}

/** Every response with the headers it carries, which follow from the operation and the status. */
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
