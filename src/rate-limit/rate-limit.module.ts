import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { PLANS } from '../auth/plans.js';
import { CountersModule } from './counters.module.js';
import { MINUTE_MS } from './limit-windows.js';
import { PlanStorage } from './plan-storage.js';
import { THROTTLER_NAME } from './plan-throttler.guard.js';
import { RateLimitController } from './rate-limit.controller.js';
import { ThrottleRefusal } from './throttle-refusal.js';
import { UsageController } from './usage.controller.js';

@Module({
  imports: [
    AuthModule,
    CountersModule,
    DiscoveryModule,
    ThrottlerModule.forRootAsync({
      imports: [CountersModule],
      inject: [PlanStorage],
      useFactory: (storage: PlanStorage) => ({
        // What the throttler asks for; the limits of a request are its caller's, by PlanThrottlerGuard.
        throttlers: [{ name: THROTTLER_NAME, limit: PLANS.free.perMinute, ttl: MINUTE_MS }],
        storage,
      }),
    }),
  ],
  controllers: [RateLimitController, UsageController],
  providers: [ThrottleRefusal],
  exports: [AuthModule, CountersModule, ThrottlerModule],
})
export class RateLimitModule {}
