import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { invalidBody, invalidParameter } from '../../../common/errors/common.errors.js';
import { describeValue } from '../../../common/describe-value.js';
import { NoBody } from './no-body.js';
import { listParametersOf } from './rules.js';

/** How many unknown names a message repeats. */
const SHOWN_NAMES = 5;

/** A query as Fastify parses it: a parameter that comes more than once has a list of values. */
export type Query = Readonly<Record<string, string | string[]>>;

/** @throws ApiError invalid_parameter */
export function validQuery(query: Query, dto: Type<object>): object {
  const known = fieldsOf(dto);
  const names = Object.keys(query);
  if (known.size === 0 && names.length === 0) return new dto();
  const lists = listParametersOf(dto);
  const repeated = names.filter(
    (name) => known.has(name) && Array.isArray(query[name]) && !lists.includes(name),
  );
  const problems = repeated.length === 0 ? [] : [`${namesOf(repeated)}: expected once, got more`];
  const valueOf = (name: string) =>
    lists.includes(name) ? [query[name]].flat().join(',') : [query[name]].flat()[0];
  const first = Object.fromEntries(names.map((name) => [name, valueOf(name)]));
  // class-transformer gets strings only; the decorators of the DTO's fields convert them.
  const parameters = plainToInstance(dto, picked(first, known));
  problems.push(...problemsOf(parameters), ...unknownProblem('parameter', query, known));
  if (problems.length > 0) throw invalidParameter(problems.join('; '));
  return parameters;
}

/** @throws ApiError invalid_body */
export function validBody(body: unknown, dto: Type<object>): object {
  const mayBeAbsent = dto === NoBody || dto.prototype instanceof NoBody;
  if (body === undefined && mayBeAbsent) return new dto();
  if (body === undefined) throw invalidBody('The body is missing: expected a JSON object.');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody(`body: expected a JSON object, got ${describeValue(body)}`);
  }
  const given = body as Record<string, unknown>;
  const known = fieldsOf(dto);
  const fields = Object.assign(new dto(), picked(given, known));
  const problems = [...problemsOf(fields), ...unknownProblem('field', given, known)];
  if (problems.length > 0) throw invalidBody(problems.join('; '));
  return fields;
}

const fieldsOfDto = new Map<Type<object>, ReadonlySet<string>>();

/** The fields of a DTO: those with at least one rule. */
function fieldsOf(dto: Type<object>): ReadonlySet<string> {
  const cached = fieldsOfDto.get(dto);
  if (cached) return cached;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const fields = new Set(rules.map((rule) => rule.propertyName));
  fieldsOfDto.set(dto, fields);
  return fields;
}

function unknownProblem(what: 'field' | 'parameter', given: object, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const allowed = known.size === 0 ? 'there are none' : `there are ${[...known].join(', ')}`;
  return [`${namesOf(unknown)}: no such ${what} (${allowed})`];
}

/** The first five names, and how many more there are. */
function namesOf(names: string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map(describeValue).join(', ');
  const rest = names.length - SHOWN_NAMES;
  return rest > 0 ? `${shown} and ${rest.toLocaleString('en-US')} more` : shown;
}

function picked(given: Record<string, unknown>, known: ReadonlySet<string>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of known) if (Object.hasOwn(given, name)) fields[name] = given[name];
  return fields;
}

function problemsOf(dto: object): string[] {
  return validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false }).flatMap(
    ({ property, value, constraints = {} }) =>
      Object.values(constraints).map(
        (expected) => `${property}: expected ${expected}, got ${describeValue(value)}`,
      ),
  );
}
