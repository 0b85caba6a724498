import type { Type } from '@nestjs/common';
import { getMetadataStorage, validateSync } from 'class-validator';
import { invalidBody, invalidParameter } from '../../../common/errors/common.errors.js';
import { describeValue } from '../../../common/describe-value.js';
import { NonInt64Number } from '../../../common/int64.js';
import { collectRulesOnce, isNullable, typeOf } from './dto-internals.js';
import { exactly, fromText } from './field-types.js';
import { NoBody, itemsOf, listParserOf, type ListParser } from './rules.js';

collectRulesOnce();

/** How many unknown names a message repeats. */
const SHOWN_NAMES = 5;

/** A query as Fastify parses it: a parameter that comes more than once has a list of values. */
export type Query = Readonly<Record<string, string | string[]>>;

/** What is known of a field with at least one rule before a request comes. */
interface Field {
  type: unknown;
  isNullable: boolean;
  /** Present: the parameter may be repeated, as generated clients do for every item of a list. */
  list: ListParser | undefined;
  /** Present: a list of objects, each of this DTO. */
  items: Type<object> | undefined;
}
type Fields = ReadonlyMap<string, Field>;

/**
 * Checks a query against its DTO, whose fields have the type that is read: `limit?: number`, `id?: bigint`.
 * @throws ApiError invalid_parameter
 */
export function validQuery<Dto extends object>(query: Query, dto: Type<Dto>): Dto {
  const fields = fieldsOf(dto);
  const names = Object.keys(query);
  const repeated: string[] = [];
  const texts = new Map<string, string>();
  const values = new Map<string, unknown>();
  for (const name of names) {
    const field = fields.get(name);
    if (!field) continue;
    const given = query[name] ?? '';
    if (typeof given !== 'string' && given.length > 1 && !field.list) repeated.push(name);
    const text = typeof given === 'string' ? given : field.list ? given.join(',') : (given[0] ?? '');
    texts.set(name, text);
    // A text that cannot be read is kept, so that the rule refuses it.
    values.set(name, field.list ? (field.list(text) ?? text) : fromText(text, field.type));
  }
  const { result, problems } = checked(values, dto, fields, (name) => texts.get(name));
  if (repeated.length > 0) problems.unshift(`${namesOf(repeated)}: expected once, got more`);
  problems.push(...unknownProblem('parameter', names, fields));
  if (problems.length > 0) throw invalidParameter(problems.join('; '));
  return result;
}

/**
 * Checks a body, as parseJson returns it, against its DTO. A field may be null only where the document says `nullable`. Where every field
 * is optional, one at least is there, unless the body itself may be absent (NoBody).
 * @throws ApiError invalid_body
 */
export function validBody<Dto extends object>(body: unknown, dto: Type<Dto>): Dto {
  const mayBeAbsent = dto === NoBody || dto.prototype instanceof NoBody;
  if (body === undefined && mayBeAbsent) return new dto();
  if (body === undefined) throw invalidBody('The body is missing: expected a JSON object.');
  if (!isObject(body)) throw invalidBody(`body: expected a JSON object, got ${describeValue(body)}`);
  const fields = fieldsOf(dto);
  const { result, problems } = checkedObject(body, dto);
  if (problems.length === 0 && Object.keys(body).length === 0 && !mayBeAbsent && fields.size > 0)
    problems.push(`body: expected at least one of ${[...fields.keys()].join(', ')}, got an empty object`);
  if (problems.length > 0) throw invalidBody(problems.join('; '));
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NonInt64Number);

/** The body or an item of a list in it as an instance of its DTO, and what is wrong with it. */
function checkedObject<Dto extends object>(
  given: Record<string, unknown>,
  dto: Type<Dto>,
): { result: Dto; problems: string[] } {
  const fields = fieldsOf(dto);
  const values = new Map<string, unknown>();
  for (const [name, { type }] of fields)
    if (Object.hasOwn(given, name)) values.set(name, exactly(given[name], type));
  const { result, problems } = checked(values, dto, fields, (name) => given[name]);
  if (problems.length === 0)
    for (const [name, { items }] of fields) if (items) problems.push(...checkItems(result, name, items));
  problems.push(...unknownProblem('field', Object.keys(given), fields));
  return { result, problems };
}

/** How many problems with the items of a list a message has. */
const SHOWN_PROBLEMS = 5;

/** Makes each item of a list an instance of its DTO. Returns what is wrong with them, by index and field. */
function checkItems(owner: object, name: string, dto: Type<object>): string[] {
  const list = (owner as Record<string, unknown>)[name];
  if (!Array.isArray(list)) return [];
  const problems: string[] = [];
  list.forEach((item: unknown, index) => {
    const at = `${name}[${String(index)}]`;
    if (!isObject(item)) {
      problems.push(`${at}: expected a JSON object, got ${describeValue(item)}`);
      return;
    }
    const checkedItem = checkedObject(item, dto);
    list[index] = checkedItem.result;
    // The problem of a field begins with its name, that of unknown names with a quote.
    for (const problem of checkedItem.problems)
      problems.push(problem.startsWith('"') ? `${at}: ${problem}` : `${at}.${problem}`);
  });
  const more = problems.length - SHOWN_PROBLEMS;
  return more > 0
    ? [...problems.slice(0, SHOWN_PROBLEMS), `and ${more.toLocaleString('en-US')} more`]
    : problems;
}

/** Stands for a null that the document does not allow: `@IsOptional()` would let null pass unchecked. */
const FORBIDDEN_NULL = Symbol('null');

/**
 * The values as an instance of the DTO, and what is wrong with them, one text a field; `givenOf`: what came. Names without a rule are never set on the
 * instance, because `__proto__` and `constructor` would change what it is.
 */
function checked<Dto extends object>(
  values: ReadonlyMap<string, unknown>,
  dto: Type<Dto>,
  fields: Fields,
  givenOf: (name: string) => unknown,
): { result: Dto; problems: string[] } {
  const result = new dto();
  const instance = result as Record<string, unknown>;
  let hasForbiddenNull = false;
  for (const [name, value] of values) {
    const isForbidden = value === null && !fields.get(name)?.isNullable;
    instance[name] = isForbidden ? FORBIDDEN_NULL : value;
    hasForbiddenNull ||= isForbidden;
  }
  if (fields.size === 0) return { result, problems: [] };
  const errors = validateSync(result, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length === 0 && !hasForbiddenNull) return { result, problems: [] };
  const broken = new Map(
    errors.map(({ property, constraints = {} }) => [property, Object.values(constraints)[0]]),
  );
  const problems: string[] = [];
  for (const name of fields.keys()) {
    const message = broken.get(name) ?? (instance[name] === FORBIDDEN_NULL ? 'expected a value' : undefined);
    if (message === undefined) continue;
    const given = givenOf(name);
    const isList = fields.get(name)?.items && Array.isArray(given);
    const got = isList ? `an array of ${String(given.length)}` : describeValue(given);
    problems.push(`${name}: ${expectation(name, message)}, got ${got}`);
  }
  return { result, problems };
}

/** A message of class-validator in the words of this service: `limit must be an integer` becomes `expected an integer`. */
function expectation(property: string, message: string): string {
  const [, each, must] =
    /^(each value in )?\S+ (?:must|should) (.*)$/s.exec(
      message.replace(`${property} must be one of the following values: `, `${property} must be one of `),
    ) ?? [];
  if (must === undefined) return message;
  // `must be` needs no verb; `must contain` becomes `expected to contain`.
  const what = must.replace(/^(?!be )(?:not )?/, '$&to ').replace(/^be /, '');
  return `expected ${each === undefined ? '' : 'each value: '}${what}`;
}

const fieldsOfDto = new Map<Type<object>, Fields>();

function fieldsOf(dto: Type<object>): Fields {
  const cached = fieldsOfDto.get(dto);
  if (cached) return cached;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const [inherited, own] = [
    rules.filter(({ target }) => target !== dto),
    rules.filter(({ target }) => target === dto),
  ];
  const fields = new Map(
    [...inherited, ...own].map(({ propertyName: name }): [string, Field] => [
      name,
      {
        type: typeOf(dto, name),
        isNullable: isNullable(dto, name),
        list: listParserOf(dto, name),
        items: itemsOf(dto, name),
      },
    ]),
  );
  fieldsOfDto.set(dto, fields);
  return fields;
}

function unknownProblem(what: 'field' | 'parameter', given: string[], known: Fields): string[] {
  const unknown = given.filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const allowed = known.size === 0 ? 'there are none' : `there are ${[...known.keys()].join(', ')}`;
  return [`${namesOf(unknown)}: no such ${what} (${allowed})`];
}

/** The first five names, and how many more there are. */
function namesOf(names: string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map(describeValue).join(', ');
  const rest = names.length - SHOWN_NAMES;
  return rest > 0 ? `${shown} and ${rest.toLocaleString('en-US')} more` : shown;
}
