import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { parseInt64 } from '../../../common/int64.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../common/paging.js';

/** An optional integer within bounds, and its documentation; the field holds a number. */
export const QueryInteger = (
  minimum: number,
  maximum: number,
  documented: { default: number; description: string },
) =>
  applyDecorators(
    Optional(),
    FromText((text) => {
      const value = parseInt64(text);
      return value !== undefined && value >= minimum && value <= maximum ? Number(value) : undefined;
    }),
    Rule(`an integer from ${String(minimum)} to ${String(maximum)}`, (value) => typeof value === 'number'),
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum, maximum, ...documented }),
  );

/** The optional size of a page. `what`: the items of the list. */
export const QueryLimit = (what: string) =>
  QueryInteger(1, MAX_PAGE_SIZE, {
    default: DEFAULT_PAGE_SIZE,
    description: `Maximum number of ${what} returned: the size of a page.`,
  });

/** The optional cursor of a list, and its documentation; the field holds the text. */
export const QueryCursor = () =>
  applyDecorators(
    Optional(),
    Rule('a cursor from X-Next-Cursor or Link', (value) => typeof value === 'string'),
    ApiPropertyOptional({
      type: String,
      maxLength: 256,
      pattern: '^[A-Za-z0-9_-]+$',
      description:
        'Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters.',
    }),
  );

/** An int64; the field holds a bigint. */
export const QueryInt64 = () =>
  applyDecorators(
    FromText(parseInt64),
    Rule('an integer that fits 64 bits', (value) => typeof value === 'bigint'),
  );

/** A list of int64s, separated by commas or in repeated parameters; the field holds each bigint once. */
export const QueryInt64List = (maximum: number) =>
  applyDecorators(
    FromText((text) => {
      const items = text.split(',', maximum + 1).map(parseInt64);
      return items.length <= maximum && items.every((item) => item !== undefined)
        ? [...new Set(items)]
        : undefined;
    }, true),
    Rule(`1 to ${String(maximum)} integers that fit 64 bits, separated by commas`, (value) =>
      Array.isArray(value),
    ),
  );

/** A list of some of these values, separated by commas or in repeated parameters; the field holds each value once. */
export const QueryListOf = (values: readonly string[], maximum: number) =>
  applyDecorators(
    FromText((text) => {
      const items = text.split(',', maximum + 1);
      return items.length <= maximum && items.every((item) => values.includes(item))
        ? [...new Set(items)]
        : undefined;
    }, true),
    Rule(`1 to ${String(maximum)} of ${values.join(', ')}, separated by commas`, (value) =>
      Array.isArray(value),
    ),
  );

/** How the text of a query parameter becomes the value of its field. */
export interface Parser {
  /** undefined: the text cannot be parsed. It is kept, so that the rule refuses it and the message shows it. */
  read: (text: string) => unknown;
  /** The parameter may be repeated, as generated clients do for every item of a list; the texts are joined by commas. */
  isList: boolean;
}

const parsers = new Map<unknown, Map<string, Parser>>();

/** The parsers of a DTO's fields, by name. */
export const parsersOf = (dto: Type<object>): ReadonlyMap<string, Parser> => parsers.get(dto) ?? new Map();

function FromText(read: Parser['read'], isList = false): PropertyDecorator {
  return (prototype, name) => {
    const ofDto = parsers.get(prototype.constructor) ?? new Map<string, Parser>();
    parsers.set(prototype.constructor, ofDto.set(String(name), { read, isList }));
  };
}

const NAME_MAX_CODE_POINTS = 255;

/** A rule for a DTO's field: a test, which may look at other fields, and the expectation in words for the caller. */
export function Rule(
  expected: string,
  isValid: (value: unknown, dto: Readonly<Record<string, unknown>>) => boolean,
): PropertyDecorator {
  return ValidateBy({
    name: expected,
    validator: {
      validate: (value, args) => isValid(value, (args?.object ?? {}) as Record<string, unknown>),
      // Without the received value, because class-validator replaces `$value` in a message.
      defaultMessage: () => expected,
    },
  });
}

/** The field may be absent. Unlike with class-validator's `@IsOptional()`, null does not count as absent. */
export const Optional = () => ValidateIf((_object, value) => value !== undefined);

/** The field may be absent or null: in an update, null clears it. */
export const OptionalOrNull = () => ValidateIf((_object, value) => value !== undefined && value !== null);

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A calendar date, years 1 to 9999; the field holds the text. */
export const IsDate = () =>
  Rule('a date such as 2024-02-29', (value) => typeof value === 'string' && isDate(value));

function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith('0000')) return false;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

/** The whole int64 range. The JSON parser returns a bigint for exactly the numbers that fit. */
export const IsInt64 = () => Rule('an integer that fits 64 bits', (value) => typeof value === 'bigint');

export const IsOneOf = (values: readonly string[]) =>
  Rule(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const IsUuid = () => Rule('a UUID', (value) => typeof value === 'string' && UUID.test(value));

/** 1 to 255 Unicode code points, without U+0000 (PostgreSQL cannot store it) and lone surrogates (UTF-8 cannot). */
export const IsName = () =>
  Rule(
    `a string of 1 to ${String(NAME_MAX_CODE_POINTS)} characters without U+0000 and lone surrogates`,
    (value) => typeof value === 'string' && isName(value),
  );

function isName(text: string): boolean {
  // A code point is at most two UTF-16 units, so a longer text is refused without counting.
  if (text.length === 0 || text.length > 2 * NAME_MAX_CODE_POINTS) return false;
  if (!text.isWellFormed() || text.includes('\0')) return false;
  return text.length <= NAME_MAX_CODE_POINTS || Array.from(text).length <= NAME_MAX_CODE_POINTS;
}

/** The body of an operation without one: absent, or an empty object. A DTO that extends it may be absent too. */
export class NoBody {}

/** Documents the body as optional. */
export const ApiNoBody = () => ApiBody({ type: NoBody, required: false });
