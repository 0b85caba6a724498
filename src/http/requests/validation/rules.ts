import { ValidateBy, ValidateIf } from 'class-validator';

const NAME_MAX_CODE_POINTS = 255;

/** A rule for a DTO's field: a test, and the expectation in words for the caller. */
export function Rule(expected: string, isValid: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name: expected,
    validator: {
      validate: isValid,
      // Without the received value, because class-validator replaces `$value` in a message.
      defaultMessage: () => expected,
    },
  });
}

/** The field may be absent. Unlike with class-validator's `@IsOptional()`, null does not count as absent. */
export const Optional = () => ValidateIf((_object, value) => value !== undefined);

/** The whole int64 range. The JSON parser returns a bigint for exactly the numbers that fit. */
export const IsInt64 = () => Rule('an integer that fits 64 bits', (value) => typeof value === 'bigint');

export const IsOneOf = (values: readonly string[]) =>
  Rule(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));

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
