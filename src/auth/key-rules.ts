import { KeyNotFoundError, KeyRefusedError } from './auth.errors.js';
import { MAX_LIMIT, PLANS, PLAN_NAMES, type Plan, type PlanLimits } from './plans.js';

/** A plan, and for enterprise the limits that the key itself carries. */
export interface PlanChoice {
  plan: Plan;
  /** null: the plan has them. */
  limits: PlanLimits | null;
}

/** What a key is issued with. */
export interface NewKey extends PlanChoice {
  name: string;
  readOnly: boolean;
  /** How long from now the key is valid; undefined: for ever. */
  validForMs?: number | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME_MAX_CHARACTERS = 100;

/*
 * What somebody typed, held against the rules before anything is opened. Each raises KeyRefusedError with one line for
 * that person.
 */

/** A key's name: 1 to 100 printable characters. */
export function checkedName(name: string): string {
  const isPrintable = name.isWellFormed() && !/\p{Cc}/u.test(name) && name.trim() !== '';
  if (!isPrintable || Array.from(name).length > NAME_MAX_CHARACTERS) {
    throw new KeyRefusedError(`--name: expected 1 to ${String(NAME_MAX_CHARACTERS)} printable characters`);
  }
  return name;
}

/** An id that is no UUID is no key's. */
export function checkedKeyId(id: string): string {
  if (!UUID.test(id)) throw new KeyNotFoundError(id);
  return id;
}

/** `limits`: enterprise only, and there both required. */
export function checkedPlan(plan: string, { perMinute, perDay }: Partial<PlanLimits>): PlanChoice {
  if (!Object.hasOwn(PLANS, plan))
    throw new KeyRefusedError(`plan: expected one of ${PLAN_NAMES.join(', ')}`);
  if (PLANS[plan as Plan] !== null) {
    if (perMinute === undefined && perDay === undefined) return { plan: plan as Plan, limits: null };
    throw new KeyRefusedError('--per-minute and --per-day go with the plan enterprise only');
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new KeyRefusedError('the plan enterprise needs --per-minute and --per-day');
  }
  const limits = {
    perMinute: checkedLimit('--per-minute', perMinute),
    perDay: checkedLimit('--per-day', perDay),
  };
  return { plan: plan as Plan, limits };
}

function checkedLimit(option: string, limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new KeyRefusedError(`${option}: expected an integer from 1 to ${String(MAX_LIMIT)}`);
  }
  return limit;
}
