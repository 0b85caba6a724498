import { Inject, Module } from '@nestjs/common';
import { Clock, DAY_MS } from '../common/time.js';
import { Sweeper } from '../common/sweeper.js';
import { CONFIG, type Config } from '../config/config.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { IssuedKeys } from './keys/lookup/issued-keys.js';
import { KeyChangesWatcher } from './keys/lookup/key-changes.watcher.js';
import { KeyLookup } from './keys/lookup/key-lookup.js';
import { LastUse } from './keys/lookup/last-use.js';

@Module({
  providers: [ApiKeysRepository, ApiKeysService, IssuedKeys, KeyChangesWatcher, KeyLookup, LastUse],
  exports: [ApiKeysService],
})
export class AuthModule {
  constructor(sweeper: Sweeper, repository: ApiKeysRepository, clock: Clock, @Inject(CONFIG) config: Config) {
    // Replicas read the events for seconds only; `keys show` lists them as long as usage is kept.
    sweeper.add('events of keys', (limit) => {
      const before = new Date(clock.nowMs() - config.usageRetentionDays * DAY_MS);
      return repository.removeEventsBefore(before, limit);
    });
  }
}
