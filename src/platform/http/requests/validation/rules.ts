import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, ValidateBy } from 'class-validator';
import { parseInt64 } from '../../../common/int64.js';
import { DEFAULT_PAGE_SIZE, DEFAULT_SORT_ORDER, MAX_PAGE_SIZE, SORT_ORDERS } from '../../../common/paging.js';

/* What class-validator does not say: int64s, lists in a query, names, and rules in words of one's own. */

/** A rule for a DTO's field: a test, which may look at other fields, and the expectation in words for the caller. */
export function Rule(
  expected: string,
  isValid: (value: unknown, dto: Readonly<Record<string, unknown>>) => boolean,
): PropertyDecorator {
  return ValidateBy({
    name: expected,
    validator: {
      validate: (value, args) => isValid(value, (args?.object ?? {}) as Record<string, unknown>),
      defaultMessage: () => `$property must be ${expected}`,
    },
  });
}

/** The whole int64 range; the field is a `bigint`. The JSON parser returns a bigint for exactly the numbers that fit. */
export const IsInt64 = () => Rule('an integer that fits 64 bits', (value) => typeof value === 'bigint');

const NAME_MAX_CODE_POINTS = 255;

/**
 * 1 to 255 Unicode code points, without U+0000 (PostgreSQL cannot store it) and lone surrogates (UTF-8 cannot). `more`: what is
 * accepted beside it.
 */
export const IsName = (more = '') =>
  Rule(
    `a string of 1 to ${String(NAME_MAX_CODE_POINTS)} characters without U+0000 and lone surrogates${more}`,
    (value) => typeof value === 'string' && isName(value),
  );

function isName(text: string): boolean {
  // A code point is at most two UTF-16 units, so a longer text is refused without counting.
  if (text.length === 0 || text.length > 2 * NAME_MAX_CODE_POINTS) return false;
  if (!text.isWellFormed() || text.includes('\0')) return false;
  return text.length <= NAME_MAX_CODE_POINTS || Array.from(text).length <= NAME_MAX_CODE_POINTS;
}

/** An optional integer within bounds, and its documentation; the field is a `number`. */
export const QueryInteger = (
  minimum: number,
  maximum: number,
  documented: { default: number; description: string },
) =>
  applyDecorators(
    IsOptional(),
    Rule(
      `an integer from ${String(minimum)} to ${String(maximum)}`,
      (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    ),
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum, maximum, ...documented }),
  );

/** The optional size of a page. `what`: the items of the list. */
export const QueryLimit = (what: string) =>
  QueryInteger(1, MAX_PAGE_SIZE, {
    default: DEFAULT_PAGE_SIZE,
    description: `Maximum number of ${what} returned: the size of a page.`,
  });

/** The optional order of a list, and its documentation; the field is a `SortOrder`. */
export const QueryOrder = () =>
  applyDecorators(
    IsOptional(),
    IsIn(SORT_ORDERS),
    ApiPropertyOptional({
      enum: SORT_ORDERS,
      enumName: 'SortOrder',
      enumSchema: { description: 'The order of a list.' },
      default: DEFAULT_SORT_ORDER,
      description:
        'By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental.',
    }),
  );

/** The optional cursor of a list, and its documentation; the field is a `string`. `description`: what else it may be. */
export const QueryCursor = (
  description = 'Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters.',
) =>
  applyDecorators(
    IsOptional(),
    IsString(),
    ApiPropertyOptional({
      type: String,
      maxLength: 256,
      pattern: '^[A-Za-z0-9_-]+$',
      description,
    }),
  );

/** A list of int64s, separated by commas or in repeated parameters; the field holds each bigint once. */
export const QueryInt64List = (maximum: number) =>
  applyDecorators(
    FromTexts((text) => {
      const items = text.split(',', maximum + 1).map(parseInt64);
      return items.length <= maximum && items.every((item) => item !== undefined)
        ? [...new Set(items)]
        : undefined;
    }),
    Rule(`1 to ${String(maximum)} integers that fit 64 bits, separated by commas`, (value) =>
      Array.isArray(value),
    ),
  );

/** A list of some of these values, separated by commas or in repeated parameters; the field holds each value once. */
export const QueryListOf = (values: readonly string[], maximum: number) =>
  applyDecorators(
    FromTexts((text) => {
      const items = text.split(',', maximum + 1);
      return items.length <= maximum && items.every((item) => values.includes(item))
        ? [...new Set(items)]
        : undefined;
    }),
    Rule(`1 to ${String(maximum)} of ${values.join(', ')}, separated by commas`, (value) =>
      Array.isArray(value),
    ),
  );

/** How the text of a list, joined by commas, becomes the value of its field. undefined: the text cannot be parsed. */
export type ListParser = (text: string) => unknown;

const listParsers = new Map<unknown, Map<string, ListParser>>();

/** The parser of a DTO's field that is a list. */
export const listParserOf = (dto: Type<object>, field: string): ListParser | undefined =>
  listParsers.get(dto)?.get(field);

const itemsOfField = new Map<unknown, Map<string, Type<object>>>();

/** The DTO of the items of a DTO's field that is a list of objects. */
export const itemsOf = (dto: Type<object>, field: string): Type<object> | undefined =>
  itemsOfField.get(dto)?.get(field);

/** A list of objects in a body, each checked as a body of its own, and its documentation. `what`: the items, in words. */
export const BodyList = (item: Type<object>, what: string, maximum: number): PropertyDecorator => {
  const note: PropertyDecorator = (prototype, name) => {
    const ofDto = itemsOfField.get(prototype.constructor) ?? new Map<string, Type<object>>();
    itemsOfField.set(prototype.constructor, ofDto.set(String(name), item));
  };
  return applyDecorators(
    note,
    Rule(
      `an array of 1 to ${String(maximum)} ${what}`,
      (value) => Array.isArray(value) && value.length >= 1 && value.length <= maximum,
    ),
    ApiProperty({ type: [item], minItems: 1, maxItems: maximum, description: `1 to ${maximum} ${what}.` }),
  );
};

/** A parameter that may be repeated. */
function FromTexts(parse: ListParser): PropertyDecorator {
  return (prototype, name) => {
    const ofDto = listParsers.get(prototype.constructor) ?? new Map<string, ListParser>();
    listParsers.set(prototype.constructor, ofDto.set(String(name), parse));
  };
}

/** The body of an operation without one: absent, or an empty object. A DTO that extends it may be absent too. */
export class NoBody {}

/** Documents the body as optional. */
export const ApiNoBody = () => ApiBody({ type: NoBody, required: false });
