import { z } from 'zod';
import { ACCESS_LEVELS, type Access } from '../../platform/common/access.js';
import { describeValue } from '../../platform/common/describe-value.js';
import { invalidBody } from '../../platform/common/errors/common.errors.js';
import { MAX_PLAN_LIMIT, PLAN_NAMES, type Plan } from '../plans.js';

/*
 * What the fields of a key may hold, for commands and for HTTP alike. Values are what JSON and the command line hold: a whole number
 * is a number or a bigint, a time is a Date or a text.
 */

export const NAME_MAX_CHARACTERS = 100;
export const REFERENCE_MAX_CHARACTERS = 255;
export const DEFAULT_ACCESS: Access = 'manage';
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** What somebody gives for a key. Absent: unchanged or the default. null: none. */
export interface KeyFields {
  name?: unknown;
  reference?: unknown;
  plan?: unknown;
  perMinute?: unknown;
  perDay?: unknown;
  access?: unknown;
  expiresAt?: unknown;
}

/** RFC 3339 has no later year. An offset may lead to one. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a key as it is stored; undefined for a text that no key has as its id. */
export const keyIdOf = (text: string) => (UUID.test(text) ? text.toLowerCase() : undefined);

/** The fields of a key to be, or the changes of a key, once they are checked. */
export interface KeyChanges {
  name?: string;
  reference?: string | null;
  plan?: Plan;
  perMinute?: number;
  perDay?: number;
  access?: Access;
  expiresAt?: Date | null;
}

export type NewKey = KeyChanges & Required<Pick<KeyChanges, 'name' | 'plan'>>;

interface FieldRule {
  expected: string;
  isValid: (value: unknown, all: KeyFields) => boolean;
}

const LIMIT: FieldRule = {
  expected: `an integer from 1 to ${MAX_PLAN_LIMIT}, with the plan enterprise only`,
  isValid: (value, { plan }) => isWithin(value, 1, MAX_PLAN_LIMIT) && plan === 'enterprise',
};

export const KEY_RULES: Record<keyof KeyFields, FieldRule> = {
  name: {
    expected: `1 to ${NAME_MAX_CHARACTERS} printable characters`,
    isValid: (value) => isPrintable(value, NAME_MAX_CHARACTERS),
  },
  reference: {
    expected: `1 to ${REFERENCE_MAX_CHARACTERS} printable characters, or null`,
    isValid: (value) => value === null || isPrintable(value, REFERENCE_MAX_CHARACTERS),
  },
  plan: {
    expected: `one of ${PLAN_NAMES.join(', ')}; enterprise needs perMinute and perDay`,
    isValid: (value, { perMinute, perDay }) =>
      PLAN_NAMES.some((plan) => plan === value) &&
      (value !== 'enterprise' || (perMinute !== undefined && perDay !== undefined)),
  },
  perMinute: LIMIT,
  perDay: LIMIT,
  access: {
    expected: `one of ${ACCESS_LEVELS.join(', ')}`,
    isValid: (value) => ACCESS_LEVELS.some((access) => access === value),
  },
  expiresAt: {
    expected: 'a time in the future as in 2027-01-31T12:00:00Z (RFC 3339), or null',
    isValid: (value) => value === null || isWithin(momentOf(value)?.getTime(), Date.now() + 1, LATEST_MS),
  },
};

export const OVERLAP_RULE: FieldRule = {
  expected: `an integer from 0 to ${MAX_OVERLAP_SECONDS}, in seconds`,
  isValid: (value) => isWithin(value, 0, MAX_OVERLAP_SECONDS),
};

/** What is wrong with these fields, one text a field. */
export function problemsOf(fields: KeyFields): string[] {
  return (Object.keys(KEY_RULES) as (keyof KeyFields)[])
    .filter((name) => fields[name] !== undefined && !KEY_RULES[name].isValid(fields[name], fields))
    .map((name) => `${name}: expected ${KEY_RULES[name].expected}, got ${describeValue(fields[name])}`);
}

/**
 * The same fields as the service takes them.
 * @throws ApiError `invalid_body` that names every field at fault
 */
export function checkedChanges(fields: KeyFields): KeyChanges {
  const problems = problemsOf(fields);
  if (problems.length > 0) throw invalidBody(problems.join('; '));
  const { perMinute, perDay, expiresAt, ...others } = fields;
  const changes = {
    ...others,
    ...(perMinute === undefined ? {} : { perMinute: Number(perMinute), perDay: Number(perDay) }),
    ...(expiresAt === undefined ? {} : { expiresAt: momentOf(expiresAt) ?? null }),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** As checkedChanges. @throws ApiError `invalid_body` also without a name or a plan */
export function checkedNewKey(fields: KeyFields): NewKey {
  const { name = null, plan = null } = fields;
  return checkedChanges({ ...fields, name, plan }) as NewKey;
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  return Number.isInteger(Number(value)) && value >= minimum && value <= maximum;
}

function isPrintable(value: unknown, maxCharacters: number): boolean {
  if (typeof value !== 'string' || value.length > 2 * maxCharacters) return false;
  // U+FFFD stands for bytes that are not UTF-8.
  const isText = value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\ufffd]|^[\s\p{Cf}]*$/u.test(value);
  return isText && Array.from(value).length <= maxCharacters;
}

const RFC_3339 = z.iso.datetime({ offset: true });

function momentOf(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  return RFC_3339.safeParse(value).success ? new Date(value as string) : undefined;
}
