/** What a plan allows; null: the key itself carries the numbers. Source: the service interface, "Request rate, by plan". */
export interface PlanLimits {
  perMinute: number;
  perDay: number;
}

export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: null,
} as const satisfies Record<string, PlanLimits | null>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

/** The largest limit a key can carry: an int32, as the column is. */
export const MAX_LIMIT = 2_147_483_647;
