import { Module } from '@nestjs/common';
import { UsageRecorder } from './usage-recorder.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { UsageSweeper } from './usage-sweeper.js';

@Module({
  controllers: [UsageController],
  providers: [UsageRecorder, UsageRepository, UsageService, UsageSweeper],
  exports: [UsageRecorder, UsageService],
})
export class UsageModule {}
