import { ValidateBy, ValidateIf } from 'class-validator';

const NAME_MAX_CODE_POINTS = 255;

/** One rule of a DTO's field: what is expected, in words for the caller, and the test for it. */
export function Expect(expected: string, isValid: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name: expected,
    validator: {
      validate: isValid,
      // What came is not in it: class-validator would put values where it finds `$value` in a message.
      defaultMessage: () => expected,
    },
  });
}

/** The field may be left out. Unlike class-validator's `@IsOptional()`, null is no way of leaving it out. */
export const MayBeAbsent = () => ValidateIf((_object, value) => value !== undefined);

/** The whole int64 range; the JSON parser makes a bigint of exactly the literals that fit. */
export const IsInt64 = () => Expect('an integer that fits 64 bits', (value) => typeof value === 'bigint');

export const IsOneOf = (values: readonly string[]) =>
  Expect(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));

/** 1 to 255 Unicode code points, without U+0000 (PostgreSQL cannot store it) and lone surrogates (UTF-8 cannot). */
export const IsName = () =>
  Expect(
    `a string of 1 to ${String(NAME_MAX_CODE_POINTS)} characters without U+0000 and lone surrogates`,
    (value) => typeof value === 'string' && isName(value),
  );

function isName(text: string): boolean {
  // A code point is at most two UTF-16 units, so longer texts need no counting.
  if (text.length === 0 || text.length > 2 * NAME_MAX_CODE_POINTS) return false;
  if (!text.isWellFormed() || text.includes('\0')) return false;
  return text.length <= NAME_MAX_CODE_POINTS || Array.from(text).length <= NAME_MAX_CODE_POINTS;
}
