import { Module } from '@nestjs/common';
import { ApiKeysRepository } from './keys/api-keys.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { DemoKey } from './keys/demo-key.service.js';
import { IssuedKeys } from './keys/lookup/issued-keys.js';
import { KeyCache } from './keys/lookup/key-cache.js';
import { KeyChangesWatcher } from './keys/lookup/key-changes.watcher.js';
import { KeyEventsSweeper } from './keys/key-events.sweeper.js';
import { KeyLookup } from './keys/lookup/key-lookup.js';
import { LastUse } from './keys/lookup/last-use.js';

@Module({
  providers: [
    ApiKeysRepository,
    ApiKeysService,
    DemoKey,
    IssuedKeys,
    KeyCache,
    KeyChangesWatcher,
    KeyEventsSweeper,
    KeyLookup,
    LastUse,
  ],
  exports: [ApiKeysService, DemoKey],
})
export class AuthModule {}
