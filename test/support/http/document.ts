import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ValidateFunction } from 'ajv';
import type { Answer } from './client.js';

interface ResponseObject {
  headers?: Record<string, { required?: boolean; schema: object }>;
  content?: Record<string, { schema: object }>;
}
interface ParameterObject {
  name: string;
  in: string;
  explode?: boolean;
  schema: { type?: string };
}
/** An operation, as openapi.json has it. */
export interface OperationObject {
  operationId: string;
  'x-stability': string;
  parameters: ParameterObject[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: { $ref: string } } } };
  responses: Record<string, ResponseObject>;
}
interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');

/** The document with its references resolved, except those to schemas. */
export const document = dereferenced(JSON.parse(text)) as Document;

/** Every operation, with its method and its path in the service. */
export const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: `/v1${path}`,
    ...operation,
  })),
);

/** Headers of HTTP itself, which a document does not declare. */
const HTTP_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
]);

// `npm run check` validates the document itself.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(closed({ $id: 'document', components: document.components }));

const pathItems = Object.entries(document.paths).map(([template, item]) => ({
  pattern: new RegExp(`^/v1${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  item,
}));

const ERROR = { $ref: '#/components/schemas/Error' };

/** Each schema is compiled once, because compiling takes most of a validation. */
const validators = new WeakMap<object, ValidateFunction>();

/** The documented operation of a request; undefined if the document has none. */
function operationAt(method: string, target: string): OperationObject | undefined {
  // Like the service's router, this ignores a fragment.
  const [path = ''] = target.split(/[?#]/, 1);
  const pathItem = pathItems.find(({ pattern }) => pattern.test(path))?.item;
  return pathItem?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

/** @throws Error if the status, a header or the body of a response is not as openapi.json declares it */
export function checkAgainstDocument(method: string, target: string, answer: Answer): void {
  const problems: string[] = [];
  const operation = operationAt(method, target);
  if (operation) {
    const response = operation.responses[String(answer.status)];
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

function headerProblems(response: ResponseObject, answer: Answer): string[] {
  const declared = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
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
    const isInteger = (schema as { type?: string }).type === 'integer';
    problems.push(
      ...schemaProblems(schema, isInteger ? Number(value) : value).map((p) => `header ${name}: ${p}`),
    );
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
  const validate = validators.get(schema) ?? compiled(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${String(message)}`);
}

function compiled(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = ajv.compile(JSON.parse(text) as object);
  validators.set(schema, validate);
  return validate;
}

function dereferenced(root: unknown): unknown {
  // What several operations refer to is one object, so its schema is compiled once.
  const resolved = new Map<string, unknown>();
  const resolve = ($ref: string) => {
    if (!resolved.has($ref)) resolved.set($ref, visit(memberAt(root, $ref)));
    return resolved.get($ref);
  };
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref } = node as { $ref?: string };
    if ($ref !== undefined && !$ref.startsWith('#/components/schemas/')) return resolve($ref);
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, visit(value)]));
  };
  return visit(root);
}

function memberAt(root: unknown, pointer: string): unknown {
  return pointer
    .slice('#/'.length)
    .split('/')
    .reduce((node, name) => (node as Record<string, unknown>)[name], root);
}

/** The same document, with undeclared fields forbidden in every object. */
function closed<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(closed) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [name, closed(value as unknown)]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  if (typeof copy.properties === 'object') copy.additionalProperties = false;
  return copy as Node;
}
