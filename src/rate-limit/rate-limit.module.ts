import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { PLANS } from '../auth/plans.js';
import { MINUTE_MS } from '../common/time.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { CountersModule } from './stores/counters.module.js';

@Module({
  imports: [
    AuthModule,
    CountersModule,
    ThrottlerModule.forRootAsync({
      imports: [CountersModule],
      inject: [RateLimitService],
      useFactory: (storage: RateLimitService) => ({
        // The throttler requires one limit; PlanThrottlerGuard takes the limits of the caller instead.
        throttlers: [{ limit: PLANS.free.perMinute, ttl: MINUTE_MS }],
        storage,
      }),
    }),
  ],
  controllers: [RateLimitController],
  exports: [AuthModule, CountersModule, ThrottlerModule],
})
export class RateLimitModule {}
