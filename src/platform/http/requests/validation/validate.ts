import type { Type } from '@nestjs/common';
import {
  getMetadataStorage,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { invalidBody, invalidParameter } from '../../../common/errors/common.errors.js';
import { describeValue } from '../../../common/describe-value.js';
import { NoBody, parsersOf, type Parser } from './rules.js';

/** How many unknown names a message repeats. */
const SHOWN_NAMES = 5;

/** A query as Fastify parses it: a parameter that comes more than once has a list of values. */
export type Query = Readonly<Record<string, string | string[]>>;

/** What the decorators of a DTO say of one field. */
interface Field {
  name: string;
  /** The value is checked where all of them hold. */
  conditions: ((dto: object, value: unknown) => boolean)[];
  rules: ValidatorConstraintInterface[];
  parser: Parser | undefined;
}

/** The fields of a DTO with at least one rule, by name. */
type Fields = ReadonlyMap<string, Field>;

/** @throws ApiError invalid_parameter */
export function validQuery<Dto extends object>(query: Query, dto: Type<Dto>): Dto {
  const fields = fieldsOf(dto);
  const parameters = new dto() as Record<string, unknown>;
  const names = Object.keys(query);
  const repeated: string[] = [];
  for (const name of names) {
    const field = fields.get(name);
    if (!field) continue;
    const given = query[name];
    const isList = field.parser?.isList === true;
    if (Array.isArray(given) && !isList) repeated.push(name);
    const text = Array.isArray(given) ? (isList ? given.join(',') : (given[0] ?? '')) : (given ?? '');
    parameters[name] = field.parser?.read(text) ?? text;
  }
  const problems = repeated.length === 0 ? [] : [`${namesOf(repeated)}: expected once, got more`];
  problems.push(...problemsOf(parameters, fields), ...unknownProblem('parameter', names, fields));
  if (problems.length > 0) throw invalidParameter(problems.join('; '));
  return parameters as Dto;
}

/** @throws ApiError invalid_body */
export function validBody<Dto extends object>(body: unknown, dto: Type<Dto>): Dto {
  const mayBeAbsent = dto === NoBody || dto.prototype instanceof NoBody;
  if (body === undefined && mayBeAbsent) return new dto();
  if (body === undefined) throw invalidBody('The body is missing: expected a JSON object.');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody(`body: expected a JSON object, got ${describeValue(body)}`);
  }
  const given = body as Record<string, unknown>;
  const fields = fieldsOf(dto);
  const result = new dto() as Record<string, unknown>;
  for (const name of fields.keys()) if (Object.hasOwn(given, name)) result[name] = given[name];
  const problems = [...problemsOf(result, fields), ...unknownProblem('field', Object.keys(given), fields)];
  if (problems.length > 0) throw invalidBody(problems.join('; '));
  return result as Dto;
}

/** What is wrong with the values, one text a field. The runner of class-validator would take a tenth of the time of a list. */
function problemsOf(dto: Record<string, unknown>, fields: Fields): string[] {
  const problems: string[] = [];
  for (const { name, conditions, rules } of fields.values()) {
    const value = dto[name];
    if (!conditions.every((holds) => holds(dto, value))) continue;
    const args: ValidationArguments = { object: dto, value, property: name, constraints: [], targetName: '' };
    const broken = rules.find((rule) => rule.validate(value, args) !== true);
    if (broken)
      problems.push(`${name}: expected ${broken.defaultMessage?.(args)}, got ${describeValue(value)}`);
  }
  return problems;
}

const fieldsOfDto = new Map<Type<object>, Fields>();

function fieldsOf(dto: Type<object>): Fields {
  const cached = fieldsOfDto.get(dto);
  if (cached) return cached;
  const storage = getMetadataStorage();
  const parsers = parsersOf(dto);
  const fields = new Map<string, Field>();
  for (const { propertyName: name, type, constraints, constraintCls } of storage.getTargetValidationMetadatas(
    dto,
    '',
    false,
    false,
  )) {
    const field = fields.get(name) ?? { name, conditions: [], rules: [], parser: parsers.get(name) };
    fields.set(name, field);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION)
      field.conditions.push(constraints[0] as Field['conditions'][0]);
    else
      field.rules.push(
        ...storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => instance),
      );
  }
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
