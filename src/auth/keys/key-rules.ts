import { ACCESS_LEVELS, type Access } from '../../platform/common/access.js';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import { keyNotFound } from '../auth.errors.js';
import { MAX_LIMIT, PLANS, PLAN_NAMES, isPlan, type PlanChoice, type PlanLimits } from '../plans.js';

/** The properties of a new key. */
export interface NewKey extends PlanChoice {
  name: string;
  access: Access;
  /** How long the key is valid from now; undefined: without end. */
  validForMs?: number | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME_MAX_CHARACTERS = 100;

/*
 * Checks of what an operator typed, made before anything is opened. Each throws a RefusedInputError of one line.
 */

/** A key's name: 1 to 100 printable characters. */
export function checkedName(name: string): string {
  // U+FFFD stands for bytes that are not UTF-8.
  const isPrintable = name.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\ufffd]|^[\s\p{Cf}]*$/u.test(name);
  if (!isPrintable || Array.from(name).length > NAME_MAX_CHARACTERS) {
    throw new RefusedInputError(`--name: expected 1 to ${String(NAME_MAX_CHARACTERS)} printable characters`);
  }
  return name;
}

/** One of the steps of the ladder. */
export function checkedAccess(access: string): Access {
  const known = ACCESS_LEVELS.find((level) => level === access);
  if (!known) throw new RefusedInputError(`--access: expected one of ${ACCESS_LEVELS.join(', ')}`);
  return known;
}

/** Refuses an id that is not a UUID, because no key has it. */
export function checkedKeyId(id: string): string {
  if (!UUID.test(id)) throw keyNotFound(id);
  return id;
}

/** The limits belong to enterprise, which requires both. */
export function checkedPlan(plan: string, limits: Partial<PlanLimits>): PlanChoice {
  const { perMinute = null, perDay = null } = limits;
  if (!isPlan(plan)) throw new RefusedInputError(`plan: expected one of ${PLAN_NAMES.join(', ')}`);
  const given = [perMinute, perDay].filter((limit) => limit !== null);
  if (given.length !== (PLANS[plan] ? 0 : 2)) {
    throw new RefusedInputError('--per-minute and --per-day go with the plan enterprise, which needs both');
  }
  if (!given.every((limit) => limit >= 1 && limit <= MAX_LIMIT)) {
    throw new RefusedInputError(
      `--per-minute, --per-day: expected an integer from 1 to ${String(MAX_LIMIT)}`,
    );
  }
  return { plan, perMinute, perDay };
}
