import { RefusedInputError } from '../../common/errors/api-error.js';
import { keyNotFound } from '../auth.errors.js';
import { MAX_LIMIT, PLANS, PLAN_NAMES, isPlan, type PlanLimits } from '../plans.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** A plan and, for enterprise, the limits of the key itself; with another plan they are null. */
export type PlanChoice = Pick<ApiKeyEntity, 'plan' | 'perMinute' | 'perDay'>;

/** The properties of a new key. */
export interface NewKey extends PlanChoice {
  name: string;
  readOnly: boolean;
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

/** Refuses an id that is not a UUID, because no key has it. */
export function checkedKeyId(id: string): string {
  if (!UUID.test(id)) throw keyNotFound(id);
  return id;
}

/** The limits belong to enterprise, which requires both. */
export function checkedPlan(plan: string, { perMinute, perDay }: Partial<PlanLimits>): PlanChoice {
  if (!isPlan(plan)) throw new RefusedInputError(`plan: expected one of ${PLAN_NAMES.join(', ')}`);
  if (PLANS[plan] !== null) {
    if (perMinute === undefined && perDay === undefined) return { plan, perMinute: null, perDay: null };
    throw new RefusedInputError('--per-minute and --per-day go with the plan enterprise only');
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new RefusedInputError('the plan enterprise needs --per-minute and --per-day');
  }
  return {
    plan,
    perMinute: checkedLimit('--per-minute', perMinute),
    perDay: checkedLimit('--per-day', perDay),
  };
}

function checkedLimit(option: string, limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new RefusedInputError(`${option}: expected an integer from 1 to ${String(MAX_LIMIT)}`);
  }
  return limit;
}
