import { Inject, Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { mayHaveWebhooks } from '../webhook-bounds.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** Webhooks stop within 5 s of their key. */
const SWEEP_EVERY_MS = 2_000;
const KEYS_A_STEP = 1_000;
/** No key has it. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Stops the webhooks of keys that are revoked, have expired or lost their access, and resumes them when that ends. */
@Injectable()
export class KeySweep {
  private failingCount = 0;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: DeliveriesRepository,
    private readonly keys: ApiKeysService,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    metrics?.gauge('webhooks_failing', 'Active webhooks whose last attempt failed.', () => this.failingCount);
    tasks.every(SWEEP_EVERY_MS, 'webhooks cannot be stopped with their keys', () => this.sweep());
  }

  private async sweep(): Promise<void> {
    let failingCount = 0;
    let after: string | undefined = BEFORE_ALL;
    while (after !== undefined) {
      const page = await this.repository.keys(after, KEYS_A_STEP);
      failingCount += page.reduce((sum, key) => sum + key.failingCount, 0);
      if (page.length > 0) await this.follow(page);
      after = page.length === KEYS_A_STEP ? page.at(-1)?.keyId : undefined;
    }
    this.failingCount = failingCount;
  }

  private async follow(page: Awaited<ReturnType<DeliveriesRepository['keys']>>): Promise<void> {
    const access = await this.keys.accessOf(page.map(({ keyId }) => keyId));
    const mayHave = (keyId: string) => mayHaveWebhooks(access.get(keyId));
    const stopped = page.filter(({ keyId, isActive }) => isActive && !mayHave(keyId));
    const resumed = page.filter(({ keyId, isStopped }) => isStopped && mayHave(keyId));
    if (stopped.length > 0) await this.repository.stop(stopped.map(({ keyId }) => keyId));
    if (resumed.length > 0) await this.repository.resume(resumed.map(({ keyId }) => keyId));
  }
}
