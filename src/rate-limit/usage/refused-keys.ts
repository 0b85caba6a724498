import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { PLAN_NAMES } from '../../auth/plans.js';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Clock, MINUTE_MS } from '../../platform/common/time.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';

/** A key that is refused for this long needs another plan, or has a client in a loop. */
const LONG_MS = 60 * MINUTE_MS;
/** The longest pause between two refusals of the same run. */
const PAUSE_MS = 5 * MINUTE_MS;
const MAX_KEYS = 10_000;

/** The keys that this replica refuses for an hour, as a metric by plan. No label names a key. */
@Injectable()
export class RefusedKeys {
  private readonly runs = new LRUCache<string, { sinceMs: number; lastMs: number }>({ max: MAX_KEYS });
  private counts: Record<string, number> = {};

  constructor(
    tasks: BackgroundTasks,
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    if (!metrics) return;
    metrics.gaugeBy(
      'rate_limit_refused_keys',
      'Keys that have been refused for an hour, with pauses of at most 5 minutes.',
      'plan',
      () => Object.fromEntries(PLAN_NAMES.map((plan) => [plan, this.counts[plan] ?? 0])),
    );
    tasks.every(MINUTE_MS, 'refused keys cannot be counted', () => this.count());
  }

  /** Notes a refusal. */
  note(keyId: string, nowMs: number): void {
    const run = this.runs.get(keyId);
    if (run && nowMs - run.lastMs <= PAUSE_MS) run.lastMs = nowMs;
    else this.runs.set(keyId, { sinceMs: nowMs, lastMs: nowMs });
  }

  /** The keys that are refused for an hour. */
  refusedForLong(): string[] {
    const nowMs = this.clock.nowMs();
    return [...this.runs]
      .filter(
        ([, { sinceMs, lastMs }]) => nowMs - lastMs <= PAUSE_MS && lastMs - sinceMs >= LONG_MS - PAUSE_MS,
      )
      .map(([keyId]) => keyId);
  }

  private async count(): Promise<void> {
    const ids = this.refusedForLong();
    this.counts = ids.length === 0 ? {} : await this.keys.countByPlan(ids);
  }
}
