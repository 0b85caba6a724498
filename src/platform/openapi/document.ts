import type { INestApplication } from '@nestjs/common';
import { type DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { MAX_HEADER_BYTES } from '../common/size-limits.js';
import { INT64_MAX, INT64_MIN } from '../common/int64.js';
import type { Config } from '../config/config.js';
import { ERROR_EXTENSION, ErrorDto } from '../http/operations/schemas.js';
import { declaredErrors, type ErrorKind } from '../common/errors/error-kind.js';
import type { ResponseHeader } from '../http/responses/response-headers.js';
import { minimalExample, type Schema } from './minimal-example.js';
import { shareComponents } from './shared-components.js';

const VERSION_PREFIX = '/v1';
const NOT_MODIFIED = { description: 'Not changed: the ETag matches If-None-Match.' };
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header' as const,
  required: false,
  description:
    'The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body.',
  schema: { type: 'string' as const, maxLength: MAX_HEADER_BYTES },
};

export type Environments = Partial<Pick<Config, 'publicBaseUrl' | 'stagingBaseUrl'>>;

type PathItem = OpenAPIObject['paths'][string];
type OpenApiOperation = NonNullable<PathItem['get']>;
type Schemas = Record<string, Schema>;
interface JsonContent {
  content?: Record<string, { schema?: { $ref?: string; title?: string }; example?: unknown }>;
}

/**
 * The OpenAPI 3.1 document of version 1. Without environments it equals the committed openapi.json. `builder`: what it says beside
 * its operations; `headers`: every header that a response of an operation may have; `errors`: what every operation may answer.
 */
export function buildDocument(
  app: INestApplication,
  builder: DocumentBuilder,
  headers: readonly ResponseHeader[],
  errors: readonly ErrorKind[],
  { publicBaseUrl, stagingBaseUrl }: Environments,
): OpenAPIObject {
  builder.setOpenAPIVersion('3.1.0');
  if (publicBaseUrl !== undefined) builder.addServer(publicBaseUrl, 'Production');
  if (stagingBaseUrl !== undefined) builder.addServer(stagingBaseUrl, 'Staging');
  if (publicBaseUrl === undefined && stagingBaseUrl === undefined)
    builder.addServer(VERSION_PREFIX, 'This server');
  const generated = SwaggerModule.createDocument(app, builder.build(), { extraModels: [ErrorDto] });
  const info = { ...generated.info };
  // The builder writes an empty one.
  delete info.contact;
  const paths = Object.entries(generated.paths).map(([path, item]) => [
    path.slice(VERSION_PREFIX.length),
    completed(item, headers, errors),
  ]);
  const document = { ...generated, info, paths: Object.fromEntries(paths) as OpenAPIObject['paths'] };
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  for (const item of Object.values(document.paths)) nameArrays(item, schemas);
  for (const item of Object.values(document.paths)) closeBodies(item, schemas);
  listCodes(schemas);
  shareComponents(document);
  return withInt64Bounds(document);
}

const operationsOf = (item: PathItem) => Object.entries(item) as [method: string, OpenApiOperation][];

/** Adds what follows from the method, and to every response the headers that follow from the operation and the status. */
function completed(
  item: PathItem,
  headers: readonly ResponseHeader[],
  errors: readonly ErrorKind[],
): PathItem {
  const entries = operationsOf(item).map(([method, operation]) => {
    const given = {
      ...operation.responses,
      ...(method === 'get' ? { 304: NOT_MODIFIED } : {}),
      ...errorResponses(operation, errors),
    };
    const responses = Object.entries(given).map(([status, response]) => [
      status,
      { ...response, headers: documentedHeaders(operation, Number(status), headers) },
    ]);
    const parameters = [...(operation.parameters ?? []), ...(method === 'get' ? [IF_NONE_MATCH] : [])];
    const complete = {
      ...withoutErrorNotes(operation),
      parameters,
      responses: Object.fromEntries(responses) as object,
    };
    // The body of a DELETE has no meaning (RFC 9110, section 9.3.5), and many clients cannot send one.
    if (method === 'delete') delete complete.requestBody;
    return [method, complete];
  });
  return Object.fromEntries(entries) as PathItem;
}

/** One response for each status, with one example for each code: what every operation may answer, then its own errors. */
function errorResponses(operation: OpenApiOperation, errors: readonly ErrorKind[]): Record<string, object> {
  const common = errors.map(({ code, status, example }) => ({ code, message: example, status }));
  const own = Object.entries(operation).filter(([name]) => name.startsWith(ERROR_EXTENSION));
  const bodies = [...common, ...own.sort().map(([, body]) => body as (typeof common)[number])];
  const byStatus = Map.groupBy(bodies, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const examples = Object.fromEntries(ofStatus.map((body) => [body.code, { value: body }]));
      const schema = { $ref: getSchemaPath(ErrorDto) };
      const description = ofStatus.map(({ code }) => `\`${code}\``).join(', ');
      return [status, { description, content: { 'application/json': { schema, examples } } }];
    }),
  );
}

const withoutErrorNotes = (operation: OpenApiOperation) =>
  Object.fromEntries(
    Object.entries(operation).filter(([name]) => !name.startsWith(ERROR_EXTENSION)),
  ) as unknown as OpenApiOperation;

/** The headers of one response of an operation, by name. */
function documentedHeaders(operation: OpenApiOperation, status: number, headers: readonly ResponseHeader[]) {
  const present = headers.flatMap((header) => {
    const presence = header.on(status, operation);
    if (presence === 'never') return [];
    const { name, description, schema, example } = header;
    const required = presence === 'always' ? { required: true } : {};
    return [[name, { description, ...required, schema, ...(example === undefined ? {} : { example }) }]];
  });
  return Object.fromEntries(present) as Record<string, object>;
}

/** Makes every titled schema of a response a component, because Nest makes components of classes only. */
function nameArrays(item: PathItem, schemas: Schemas): void {
  const responses = operationsOf(item).flatMap(([, operation]) => Object.values(operation.responses));
  for (const { content = {} } of responses as JsonContent[])
    for (const media of Object.values(content)) {
      const { title, ...schema } = media.schema ?? {};
      if (title === undefined) continue;
      schemas[title] = schema;
      media.schema = { $ref: `#/components/schemas/${title}` };
    }
}

/**
 * Adds what Nest cannot express of request bodies: no unknown fields, one field at least where all are optional, and the smallest valid
 * body as the example. Without it Swagger UI sends every optional field.
 */
function closeBodies(item: PathItem, schemas: Schemas): void {
  for (const [, { requestBody }] of operationsOf(item)) {
    const { content = {}, required } = (requestBody ?? {}) as JsonContent & { required?: boolean };
    for (const media of Object.values(content)) {
      const body = schemas[media.schema?.$ref?.split('/').at(-1) ?? ''];
      if (!body) continue;
      const isPartial = required === true && body.required === undefined;
      Object.assign(body, { additionalProperties: false, ...(isPartial && { minProperties: 1 }) });
      media.example = minimalExample(body, schemas);
    }
  }
}

/** Not `enum`: a client generated from the document would refuse a code that a later release adds. */
function listCodes(schemas: Schemas): void {
  const { code } = schemas.Error?.properties as Record<string, object>;
  Object.assign(code ?? {}, { 'x-extensible-enum': declaredErrors().map((kind) => kind.code) });
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
