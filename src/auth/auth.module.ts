import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { CallerCache } from './caller-cache.js';
import { KeyEventEntity } from './key-event.entity.js';
import { KeyEventsRepository } from './key-events.repository.js';
import { KeyEventsWatcher } from './key-events.watcher.js';
import { LastUse } from './last-use.js';
import { DemoKey } from './demo-key.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity, KeyEventEntity])],
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    CallerCache,
    DemoKey,
    KeyEventsRepository,
    KeyEventsWatcher,
    LastUse,
  ],
  exports: [ApiKeysService, DemoKey],
})
export class AuthModule {}
