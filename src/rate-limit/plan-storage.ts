import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { Traces } from '../telemetry/traces.js';
import { COUNTERS, type Counters } from './counters.js';
import type { Decision, Subject } from './decision.js';
import { keyIdOf } from './subject.js';
import { tracedCounters } from './traced-counters.js';
import { UsageRecorder } from './usage-recorder.js';

/**
 * What stands behind the throttler's storage token: one decision for all windows of a subject, and what follows
 * from it (usage, a ban kept on the key's row).
 */
@Injectable()
export class PlanStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly logger = new Logger('RateLimit');
  private readonly counters: Counters;

  constructor(
    @Inject(COUNTERS) counters: Counters,
    private readonly usage: UsageRecorder,
    private readonly keys: ApiKeysService,
    @Inject(Traces) traces: Traces | null,
  ) {
    this.counters = traces ? tracedCounters(counters, traces) : counters;
  }

  /** Counts one request, or refuses it. */
  async decide(subject: Subject): Promise<Decision> {
    const decision = await this.counters.decide(subject);
    const keyId = keyIdOf(subject.id);
    if (keyId !== undefined) {
      this.usage.record(keyId, decision.nowMs, decision.outcome === 'admitted');
      if (decision.startedBan) {
        const { untilMs, lastedMs } = decision.startedBan;
        this.logger.warn({ keyId, bannedUntil: new Date(untilMs), lastedMs }, 'banned a key');
        this.keys.recordBan(keyId, decision.startedBan, subject.forgivenAtMs).catch((error: unknown) => {
          this.logger.error({ keyId, err: error }, 'a ban is in force but could not be kept on the key');
        });
      }
    }
    return decision;
  }

  /** What a request would get, free of charge. */
  peek(subject: Subject): Promise<Decision> {
    return this.counters.peek(subject);
  }

  /** The throttler's own way of counting, one window at a time, cannot be exact over two. */
  increment(): Promise<never> {
    return Promise.reject(
      new Error('limits belong to plans: use PlanThrottlerGuard, which decides over all windows at once'),
    );
  }

  onApplicationShutdown(): void {
    this.counters.close();
  }
}
