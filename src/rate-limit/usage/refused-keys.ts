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
  /** When the refusals of a key began. A pause drops the key. */
  private readonly sinceMs: LRUCache<string, number>;
  private counts: Record<string, number> = {};

  constructor(
    tasks: BackgroundTasks,
    keys: ApiKeysService,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.sinceMs = new LRUCache({
      max: MAX_KEYS,
      ttl: PAUSE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
    });
    if (!metrics) return;
    metrics.gaugeBy(
      'rate_limit_refused_keys',
      'Keys that have been refused for an hour, with pauses of at most 5 minutes.',
      'plan',
      () => Object.fromEntries(PLAN_NAMES.map((plan) => [plan, this.counts[plan] ?? 0])),
    );
    tasks.every(MINUTE_MS, 'refused keys cannot be counted', async () => {
      const ids = this.refusedForLong();
      this.counts = ids.length === 0 ? {} : await keys.countByPlan(ids);
    });
  }

  /** Notes a refusal. */
  note(keyId: string): void {
    this.sinceMs.set(keyId, this.sinceMs.get(keyId) ?? this.clock.nowMs());
  }

  /** The keys that are refused for an hour. */
  refusedForLong(): string[] {
    const beforeMs = this.clock.nowMs() - LONG_MS;
    return [...this.sinceMs].filter(([, sinceMs]) => sinceMs <= beforeMs).map(([keyId]) => keyId);
  }
}
