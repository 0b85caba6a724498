import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './client.js';

interface Reference {
  $ref: string;
}
interface HeaderObject {
  required?: boolean;
  schema: { type?: string };
}
interface ResponseObject {
  headers?: Record<string, HeaderObject | Reference>;
  content?: Record<string, { schema: object }>;
}
interface ParameterObject {
  name: string;
  in: string;
  explode?: boolean;
  schema: { type?: string };
}
interface OperationObject {
  tags: [string];
  operationId: string;
  summary: string;
  description: string;
  'x-stability': string;
  'x-required-access': string;
  'x-every-key-for-itself'?: true;
  parameters: (ParameterObject | Reference)[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: Reference } } };
  responses: Record<string, ResponseObject | Reference>;
}
interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');
export const document = JSON.parse(text) as Document;

/** Every code that an error may have. */
export const ERROR_CODES = (
  document.components.schemas.Error as { properties: { code: { 'x-extensible-enum': string[] } } }
).properties.code['x-extensible-enum'];

/** The same document with undeclared fields forbidden in every object, no code but those listed, and references by its name. */
const closed = JSON.parse(text, (key, value: unknown) => {
  if (key === '$ref') return `document${String(value)}`;
  const { 'x-extensible-enum': codes } = (value ?? {}) as Record<string, unknown>;
  if (codes !== undefined) return { ...(value as object), enum: codes };
  const isObject = typeof (value as { properties?: unknown } | null)?.properties === 'object';
  return isObject ? { ...(value as object), additionalProperties: false } : value;
}) as Document;

/** The object itself, or the one in the document that it refers to. */
function resolved<Node extends object>(node: Node | Reference): Node {
  if (!('$ref' in node)) return node;
  const names = node.$ref.split('/').slice(1);
  return names.reduce<unknown>((parent, name) => (parent as Record<string, unknown>)[name], closed) as Node;
}

/** Every operation, with its method and its path in the service. */
export const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path: `/v1${path}`,
    parameters: operation.parameters.map(resolved),
  })),
);

/** Headers of HTTP itself, and of a sandbox, which the document describes in words. */
const HTTP_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'x-sandbox',
]);

// `npm run check` validates the document itself.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: 'document', components: closed.components });

const pathItems = Object.entries(closed.paths).map(([template, item]) => ({
  pattern: new RegExp(`^/v1${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  item,
}));

const ERROR = { $ref: 'document#/components/schemas/Error' };

/** The documented operation of a request; undefined if the document has none. */
function operationAt(method: string, target: string): OperationObject | undefined {
  // Like the service's router, this ignores a fragment.
  const [path = ''] = target.split(/[?#]/, 1);
  const pathItem = pathItems.find(({ pattern }) => pattern.test(path))?.item;
  return pathItem?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

/** @throws Error if the status, a header or the body of a response is not as openapi.json or every response has it */
export function checkAgainstDocument(method: string, target: string, answer: Answer): void {
  const problems = commonProblems(answer);
  const operation = operationAt(method, target);
  if (operation) {
    const declared = operation.responses[String(answer.status)];
    const response = declared && resolved(declared);
    if (response)
      problems.push(...headerProblems(response, answer), ...bodyProblems(response, method, answer));
    else problems.push(`status ${answer.status} is not declared`);
  } else if (answer.status >= 400 && method !== 'HEAD') {
    problems.push(...schemaProblems(ERROR, JSON.parse(answer.text)));
  }
  if (problems.length > 0) {
    throw new Error(`${method} ${target} → ${answer.status} ${answer.text}\n${problems.join('\n')}`);
  }
}

/** What every response has, also those that openapi.json does not declare. */
function commonProblems({ headers }: Answer): string[] {
  const named = ['server', 'x-powered-by', 'via'].filter((name) => name in headers);
  const problems = named.map((name) => `header ${name} names software`);
  if (headers['x-content-type-options'] !== 'nosniff') problems.push('sniffing is not forbidden');
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(String(headers['x-request-id']))) problems.push('no valid X-Request-Id');
  return problems;
}

function headerProblems(response: ResponseObject, answer: Answer): string[] {
  const declared = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), resolved(header)]),
  );
  const problems: string[] = [];
  for (const name of Object.keys(answer.headers)) {
    if (!HTTP_HEADERS.has(name) && !name.startsWith('access-control-') && !declared.has(name)) {
      problems.push(`header ${name} is not declared`);
    }
  }
  for (const [name, { required, schema }] of declared) {
    const value = answer.headers[name];
    if (value === undefined) {
      if (required) problems.push(`header ${name} is missing`);
      continue;
    }
    const read = schema.type === 'integer' ? Number(value) : value;
    problems.push(...schemaProblems(schema, read).map((problem) => `header ${name}: ${problem}`));
  }
  return problems;
}

function bodyProblems(response: ResponseObject, method: string, answer: Answer): string[] {
  const content = response.content?.['application/json'];
  if (method === 'HEAD' || !content) return answer.text === '' ? [] : ['a body is not declared'];
  if (answer.headers['content-type'] !== 'application/json; charset=utf-8') {
    return [`content-type is ${String(answer.headers['content-type'])}`];
  }
  return schemaProblems(content.schema, JSON.parse(answer.text));
}

function schemaProblems(schema: object, value: unknown): string[] {
  // Ajv compiles each schema once.
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${String(message)}`);
}
