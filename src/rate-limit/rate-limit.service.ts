import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Ban, type Decision, RateLimiter, type Subject } from 'exact-rate-limiter';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { TRACES } from '../platform/telemetry/telemetry.module.js';
import type { Traces } from '../platform/telemetry/tracing/traces.js';
import { QuotaService } from './quota/quota.service.js';
import { UsageService } from './usage/usage.service.js';

/** Takes one decision for all windows of a subject, and records what follows from it: usage, reached quotas and bans. */
@Injectable()
export class RateLimitService {
  private readonly logger = new Logger('RateLimit');

  constructor(
    private readonly limiter: RateLimiter,
    private readonly usage: UsageService,
    private readonly quota: QuotaService,
    private readonly keys: ApiKeysService,
    @Inject(TRACES) private readonly traces: Traces | null,
  ) {}

  /** Counts one request, or refuses it. `isDeprecated`: it calls an operation that will be removed. */
  async decide(subject: Subject, isDeprecated = false): Promise<Decision> {
    const decision = await this.traced('decide limits', () => this.limiter.decide(subject));
    if (subject.perDay !== null) {
      this.usage.record(subject.id, decision.nowMs, decision.outcome === 'admitted', isDeprecated);
      const day = decision.windows.at(-1);
      if (day?.name === 'day') this.quota.note(subject.id, day);
      if (decision.startedBan) this.storeBan(subject, decision.startedBan);
    }
    return decision;
  }

  /** What a request would get, free of charge. */
  async peek(subject: Subject): Promise<Decision> {
    return this.traced('peek limits', () => this.limiter.peek(subject));
  }

  private traced(name: string, work: () => Decision | Promise<Decision>): Decision | Promise<Decision> {
    if (!this.traces) return work();
    const attributesOf = ({ outcome }: Decision) => ({ 'animal_store.limit_outcome': outcome });
    return this.traces.span({ name, attributesOf }, async () => work());
  }

  private storeBan({ id: keyId, penaltiesResetAtMs = 0 }: Subject, ban: Ban): void {
    const { untilMs, durationMs } = ban;
    this.logger.warn({ keyId, bannedUntil: new Date(untilMs), durationMs }, 'banned a key');
    this.keys.recordBan(keyId, ban, penaltiesResetAtMs).catch((error: unknown) => {
      this.logger.error({ keyId, err: error }, 'a ban is in force but could not be stored on the key');
    });
  }
}
