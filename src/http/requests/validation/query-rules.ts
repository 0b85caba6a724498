import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { parseInt64 } from '../../../common/int64.js';
import { Optional, Rule } from './rules.js';

const DECIMAL = /^(?:0|[1-9]\d{0,8})$/;

/** An optional decimal integer within bounds, and its documentation; the field holds a number. */
export const QueryInteger = (
  minimum: number,
  maximum: number,
  documented: { default: number; description: string },
) =>
  applyDecorators(
    Optional(),
    FromText((text) => (DECIMAL.test(text) ? Number(text) : undefined)),
    Rule(
      `an integer from ${String(minimum)} to ${String(maximum)}`,
      (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    ),
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum, maximum, ...documented }),
  );

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

/** A comma-separated list of int64s; the field holds bigints. */
export const QueryInt64List = (maximum: number) =>
  applyDecorators(
    FromText((text) => {
      const items = text.split(',', maximum + 1).map(parseInt64);
      return items.length <= maximum && items.every((item) => item !== undefined) ? items : undefined;
    }),
    Rule(`1 to ${String(maximum)} integers that fit 64 bits, separated by commas`, (value) =>
      Array.isArray(value),
    ),
  );

/** Parses a field. A text that cannot be parsed is kept, so that the rule refuses it and the message shows it. */
function FromText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (read(value) ?? value) : value,
  );
}
