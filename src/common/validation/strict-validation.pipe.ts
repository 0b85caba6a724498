import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { ParsedQuery } from '../http/query-string.js';
import { invalidBody, invalidParameter } from '../errors/common.errors.js';
import { describeValue } from './describe-value.js';

const MAX_NAMED_PROBLEMS = 10;

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
    if (type === 'body') return validBody(value, metatype as Type<object>);
    return value;
  }
}

function validQuery(query: ParsedQuery, dto: Type<object>): object {
  const known = fieldsOf(dto);
  const problems = unknownNames(query.values, known).map(
    (name) => `${describeValue(name)}: no such parameter (${listed(known)})`,
  );
  problems.push(...query.repeated.map((name) => `${describeValue(name)}: expected once, got more`));
  // class-transformer is given strings only; what they stand for is said on the DTO's fields.
  const parameters = plainToInstance(dto, picked(query.values, known));
  problems.push(...problemsOf(parameters));
  if (problems.length > 0) throw invalidParameter(joined(problems));
  return parameters;
}

function validBody(body: unknown, dto: Type<object>): object {
  if (body === undefined) throw invalidBody('The body is missing: expected a JSON object.');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody(`body: expected a JSON object, got ${describeValue(body)}`);
  }
  const given = body as Record<string, unknown>;
  const known = fieldsOf(dto);
  const problems = unknownNames(given, known).map(
    (name) => `${describeValue(name)}: no such field (${listed(known)})`,
  );
  const fields = Object.assign(new dto(), picked(given, known));
  problems.push(...problemsOf(fields));
  if (problems.length > 0) throw invalidBody(joined(problems));
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

function unknownNames(given: object, known: ReadonlySet<string>): string[] {
  return Object.keys(given).filter((name) => !known.has(name));
}

function picked(given: Record<string, unknown>, known: ReadonlySet<string>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of known) if (Object.hasOwn(given, name)) fields[name] = given[name];
  return fields;
}

function problemsOf(dto: object): string[] {
  return validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false }).flatMap((error) =>
    Object.values(error.constraints ?? {}),
  );
}

function listed(known: ReadonlySet<string>): string {
  return known.size === 0 ? 'there are none' : `there are ${[...known].join(', ')}`;
}

function joined(problems: string[]): string {
  const more = problems.length - MAX_NAMED_PROBLEMS;
  const named = problems.slice(0, MAX_NAMED_PROBLEMS).join('; ');
  return more > 0 ? `${named}; and ${String(more)} more` : named;
}
