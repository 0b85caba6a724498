import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { ParsedQuery } from '../http/query-string.js';
import { invalidBody, invalidParameter } from '../errors/common.errors.js';
import { describeValue } from './describe-value.js';
import { NoBody } from './no-body.dto.js';

/**
 * Holds a query or a body against its DTO. Stricter than Nest's own pipe: nothing unknown passes, null is
 * not absence, and a query parameter comes once. Every problem is named at once, with what came.
 * Raises invalid_parameter (query) or invalid_body (body). Path parameters are read by their controller.
 */
@Injectable()
export class StrictValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'query') return validQuery(value as ParsedQuery, metatype as Type<object>);
    if (type === 'custom' && 'read' in metatype) return (metatype as unknown as OwnRule).read(value);
    if (type === 'body') return validBody(value, metatype as Type<object>);
    return value;
  }
}

/** What comes from elsewhere, a header, brings its rule with its class: then faults are found in one order. */
interface OwnRule {
  /** Throws an ApiError for a value that breaks the rule. */
  read(value: unknown): object;
}

function validQuery(query: ParsedQuery, dto: Type<object>): object {
  const known = fieldsOf(dto);
  const problems = query.repeated.map((name) => `${describeValue(name)}: expected once, got more`);
  if (known.size === 0 && problems.length === 0 && Object.keys(query.values).length === 0) return new dto();
  // class-transformer is given strings only; what they stand for is said on the DTO's fields.
  const parameters = plainToInstance(dto, picked(query.values, known));
  problems.push(...problemsOf(parameters), ...unknownProblem('parameter', query.values, known));
  if (problems.length > 0) throw invalidParameter(problems.join('; '));
  return parameters;
}

function validBody(body: unknown, dto: Type<object>): object {
  if (body === undefined && dto === NoBody) return new NoBody();
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

/** One problem that names everything unknown: no more text than came. */
function unknownProblem(what: 'field' | 'parameter', given: object, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const welcome = known.size === 0 ? 'there are none' : `there are ${[...known].join(', ')}`;
  return [`${unknown.map(describeValue).join(', ')}: no such ${what} (${welcome})`];
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
