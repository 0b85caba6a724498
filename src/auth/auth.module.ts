import { Inject, Module } from '@nestjs/common';
import { Clock, DAY_MS } from '../platform/common/time.js';
import { BackgroundTasks } from '../platform/common/background-tasks.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { IssuedKeys } from './keys/lookup/issued-keys.js';
import { KeyLookup } from './keys/lookup/key-lookup.js';
import { LastUse } from './keys/lookup/last-use.js';

@Module({
  providers: [ApiKeysRepository, ApiKeysService, IssuedKeys, KeyLookup, LastUse],
  exports: [ApiKeysService, KeyLookup],
})
export class AuthModule {
  constructor(
    tasks: BackgroundTasks,
    repository: ApiKeysRepository,
    clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    // Replicas read the events for seconds only; `keys show` lists them as long as usage is kept.
    tasks.sweep('events of keys', (limit) => {
      const before = new Date(clock.nowMs() - config.usageRetentionDays * DAY_MS);
      return repository.removeEventsBefore(before, limit);
    });
  }
}
