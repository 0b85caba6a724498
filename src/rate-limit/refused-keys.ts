import { PLAN_NAMES, type Plan } from '../auth/plans.js';

const LONGEST_GAP_MS = 600_000;
const LONG_MS = 3_600_000;

interface Refusals {
  plan: Plan;
  sinceMs: number;
  lastMs: number;
}

/** The keys that this process keeps refusing. Ten minutes without a refusal are the end of it. */
export class RefusedKeys {
  private readonly refusals = new Map<string, Refusals>();

  note(keyId: string, plan: Plan, nowMs: number): void {
    const known = this.refusals.get(keyId);
    const sinceMs = known && nowMs - known.lastMs <= LONGEST_GAP_MS ? known.sinceMs : nowMs;
    this.refusals.set(keyId, { plan, sinceMs, lastMs: nowMs });
  }

  /** How many keys of each plan have been refused for an hour. */
  countByPlan(nowMs: number): Record<Plan, number> {
    const counts = Object.fromEntries(PLAN_NAMES.map((plan) => [plan, 0])) as Record<Plan, number>;
    for (const [keyId, { plan, sinceMs, lastMs }] of this.refusals) {
      if (nowMs - lastMs > LONGEST_GAP_MS) this.refusals.delete(keyId);
      else if (lastMs - sinceMs >= LONG_MS) counts[plan] += 1;
    }
    return counts;
  }
}
