/** The limits of a plan. Source: the service interface, "Request rate, by plan". */
export interface PlanLimits {
  perMinute: number;
  perDay: number;
}

/** null: the key itself holds the limits. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: null,
} as const satisfies Record<string, PlanLimits | null>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** The largest limit of a key: an int32, because the column is one. */
export const MAX_PLAN_LIMIT = 2_147_483_647;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(PLANS, name);
}

/** A plan and, for enterprise, the limits of the key itself; with another plan they are null. */
export interface PlanChoice {
  plan: Plan;
  perMinute: number | null;
  perDay: number | null;
}

/** The limits of a key: those of its plan or, for enterprise, its own. null: the row breaks the rules. */
export function limitsOf({ plan, perMinute, perDay }: PlanChoice): PlanLimits | null {
  if (!isPlan(plan)) return null;
  const own = perMinute === null || perDay === null ? null : { perMinute, perDay };
  return PLANS[plan] ?? own;
}
