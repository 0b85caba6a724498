import { Inject, Module } from '@nestjs/common';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { AuthModule } from '../../auth/auth.module.js';
import { RefusedKeys } from './refused-keys.js';
import { KeyUsageController, UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [AuthModule],
  controllers: [UsageController, KeyUsageController],
  providers: [RefusedKeys, UsageRepository, UsageService],
  exports: [UsageService],
})
export class UsageModule {
  constructor(
    tasks: BackgroundTasks,
    repository: UsageRepository,
    clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    tasks.deleteExpired('days of usage', (limit) => {
      const firstDay = utcDay(clock.nowMs() - config.usageRetentionDays * DAY_MS);
      return repository.deleteBefore(firstDay, limit);
    });
    tasks.deleteExpired('writers of usage', (limit) => repository.deleteWriters(limit));
  }
}
