import { Inject, Module } from '@nestjs/common';
import { BackgroundTasks } from '../platform/common/background-tasks.js';
import { DAY_MS } from '../platform/common/time.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { KeyViewsModule } from './key-views.module.js';
import { KeysController } from './keys.controller.js';

/** How long before its end a key is announced. */
const ANNOUNCED_MS = 14 * DAY_MS;
const COUNT_EVERY_MS = 10_000;

/** Keys over HTTP, and the metric of keys that end soon. */
@Module({ imports: [KeyViewsModule], controllers: [KeysController] })
export class KeysModule {
  private expiring = 0;

  constructor(tasks: BackgroundTasks, keys: ApiKeysService, @Inject(Metrics) metrics: Metrics | null) {
    if (!metrics) return;
    metrics.gauge('api_keys_expiring', 'Keys in use that expire within 14 days.', () => this.expiring);
    tasks.every(COUNT_EVERY_MS, 'expiring keys cannot be counted', async () => {
      this.expiring = await keys.countExpiring(ANNOUNCED_MS);
    });
  }
}
