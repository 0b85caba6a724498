import {
  Injectable,
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { ParsedQuery } from '../query-string.js';
import { routeOf } from '../route-scope.js';
import { invalidBody, invalidParameter } from '../../../common/errors/common.errors.js';
import { describeValue } from '../../../common/describe-value.js';
import { NoBody } from './no-body.dto.js';

/** How many unknown names a message repeats. */
const SHOWN_NAMES = 5;

/** The query of an operation that declares none. */
class NoParameters {}

/** Refuses every query parameter of an operation that declares no query: a typo must never be ignored. */
@Injectable()
export class NoParametersGuard implements CanActivate {
  /** @throws ApiError invalid_parameter */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation, takesParameters } = routeOf(request);
    if (operation && !takesParameters) validQuery(request.query as ParsedQuery, NoParameters);
    return true;
  }
}

/**
 * Checks a query or a body against its DTO. Stricter than Nest's own pipe: unknown names are refused, null does not mean absent, and a
 * query parameter comes once. The message names every invalid field with the received value, and up to five unknown names. Path parameters are read by their controller.
 */
@Injectable()
export class StrictValidationPipe implements PipeTransform {
  /** @throws ApiError invalid_parameter for a query, invalid_body for a body */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'query') return validQuery(value as ParsedQuery, metatype as Type<object>);
    if (type === 'body') return validBody(value, metatype as Type<object>);
    return value;
  }
}

function validQuery(query: ParsedQuery, dto: Type<object>): object {
  const known = fieldsOf(dto);
  const problems = query.repeated.length === 0 ? [] : [`${namesOf(query.repeated)}: expected once, got more`];
  if (known.size === 0 && problems.length === 0 && Object.keys(query.values).length === 0) return new dto();
  // class-transformer gets strings only; the decorators of the DTO's fields convert them.
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
