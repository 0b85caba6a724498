import { z } from 'zod';
import { Rule } from '../platform/http/requests/validation/rules.js';
import { MAX_PLAN_LIMIT, PLAN_NAMES } from '../auth/plans.js';
import { MAX_OVERLAP_SECONDS } from '../auth/keys/api-key.js';

/* What the fields of a key may hold. Commands check their options with the same DTOs as HTTP. */

/** The bound of a name and of a reference. */
export const TEXT_MAX_CHARACTERS = 255;

/** RFC 3339 has no later year. An offset may lead to one. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const RFC_3339 = z.iso.datetime({ offset: true });

/** A text that people read on one line. `orNull`: for the words of the rule, where null is allowed. */
export const IsPrintable = (orNull = '') =>
  Rule(`1 to ${TEXT_MAX_CHARACTERS} printable characters${orNull}`, isPrintable);

export const IsPlan = () =>
  Rule(
    `one of ${PLAN_NAMES.join(', ')}; enterprise needs perMinute and perDay`,
    (value, { perMinute, perDay }) =>
      PLAN_NAMES.some((plan) => plan === value) &&
      (value !== 'enterprise' || (perMinute !== undefined && perDay !== undefined)),
  );

export const IsPlanLimit = () =>
  Rule(
    `an integer from 1 to ${MAX_PLAN_LIMIT}, with the plan enterprise only`,
    (value, { plan }) => isWithin(value, 1, MAX_PLAN_LIMIT) && plan === 'enterprise',
  );

export const IsOverlap = () =>
  Rule(`an integer from 0 to ${MAX_OVERLAP_SECONDS}, in seconds`, (value) =>
    isWithin(value, 0, MAX_OVERLAP_SECONDS),
  );

export const IsFutureTime = () =>
  Rule('a time in the future as in 2027-01-31T12:00:00Z (RFC 3339), or null', (value) => {
    // RFC 3339, section 5.6: "T" and "Z" may be lower case.
    const text = typeof value === 'string' ? value.toUpperCase() : value;
    if (!RFC_3339.safeParse(text).success) return false;
    const atMs = Date.parse(text as string);
    return atMs > Date.now() && atMs <= LATEST_MS;
  });

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'bigint' && value >= minimum && value <= maximum;
}

function isPrintable(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2 * TEXT_MAX_CHARACTERS) return false;
  // U+FFFD stands for bytes that are not UTF-8.
  const isText = value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\ufffd]|^[\s\p{Cf}]*$/u.test(value);
  return isText && Array.from(value).length <= TEXT_MAX_CHARACTERS;
}
