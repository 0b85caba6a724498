import { Inject, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock, DAY_MS } from '../platform/common/time.js';
import { BackgroundTasks } from '../platform/common/background-tasks.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { ApiKeyEntity, KeyEventEntity } from './keys/api-key.entity.js';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { KeyFinder } from './keys/key-finder.js';
import { KeyLookup } from './keys/secrets/key-lookup.js';
import { KeySecretEntity } from './keys/secrets/key-secret.entity.js';
import { KeySecretsRepository } from './keys/secrets/key-secrets.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity, KeyEventEntity, KeySecretEntity])],
  providers: [ApiKeysRepository, KeySecretsRepository, ApiKeysService, KeyFinder, KeyLookup],
  exports: [ApiKeysService, KeyFinder, KeyLookup],
})
export class AuthModule {
  constructor(
    tasks: BackgroundTasks,
    repository: ApiKeysRepository,
    clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    // The history of a key is kept as long as its usage.
    tasks.deleteExpired('events of keys', (limit) => {
      const before = new Date(clock.nowMs() - config.usageRetentionDays * DAY_MS);
      return repository.deleteEventsBefore(before, limit);
    });
  }
}
