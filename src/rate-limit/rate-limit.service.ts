import { Inject, Injectable, Logger } from '@nestjs/common';
import type { KeyBan } from '../auth/keys/api-key.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { TRACES } from '../platform/telemetry/telemetry.module.js';
import type { Traces } from '../platform/telemetry/tracing/traces.js';
import { QuotaService } from './quota/quota.service.js';
import { UsageService } from './usage/usage.service.js';
import type { Decided, Decision, Subject } from './decision.js';
import { Counters } from './counters/counters.js';

/** Takes one decision for all windows of a subject, and records what follows from it: usage, reached quotas and bans. */
@Injectable()
export class RateLimitService {
  private readonly logger = new Logger('RateLimit');

  constructor(
    private readonly counters: Counters,
    private readonly usage: UsageService,
    private readonly quota: QuotaService,
    private readonly keys: ApiKeysService,
    @Inject(TRACES) private readonly traces: Traces | null,
  ) {}

  /** Counts one request, or refuses it. */
  decide(subject: Subject): Decided {
    const decided = this.traced('decide limits', () => this.counters.decide(subject));
    if (decided instanceof Promise) return decided.then((decision) => this.record(subject, decision));
    return this.record(subject, decided);
  }

  private record(subject: Subject, decision: Decision): Decision {
    if (subject.perDay !== null) {
      this.usage.record(subject.id, decision.nowMs, decision.outcome === 'admitted');
      const day = decision.windows.at(-1);
      if (day?.name === 'day') this.quota.note(subject.id, day);
      if (decision.startedBan) this.storeBan(subject, decision.startedBan);
    }
    return decision;
  }

  /** What a request would get, free of charge. */
  peek(subject: Subject): Decided {
    return this.traced('peek limits', () => this.counters.peek(subject));
  }

  private traced(name: string, work: () => Decided): Decided {
    if (!this.traces) return work();
    const attributesOf = ({ outcome }: Decision) => ({ 'animal_store.limit_outcome': outcome });
    return this.traces.span({ name, attributesOf }, async () => work());
  }

  private storeBan({ id: keyId, penaltiesResetAtMs }: Subject, ban: KeyBan): void {
    const { untilMs, durationMs } = ban;
    this.logger.warn({ keyId, bannedUntil: new Date(untilMs), durationMs }, 'banned a key');
    this.keys.recordBan(keyId, ban, penaltiesResetAtMs).catch((error: unknown) => {
      this.logger.error({ keyId, err: error }, 'a ban is in force but could not be stored on the key');
    });
  }
}
