import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { Clock } from '../../common/clock.js';
import { CONFIG } from '../../config/config.js';
import { Metrics } from '../../telemetry/metrics/metrics.js';
import { UsageModule } from '../../usage/usage.module.js';
import { UsageService } from '../../usage/usage.service.js';
import { RateLimitService } from '../rate-limit.service.js';
import { Counters } from './counters.js';
import { connectCounters, createCounters, type Connection } from './create-counters.js';

const REDIS = Symbol('REDIS');

/** The service that takes decisions, which the throttler's module needs as its storage. */
@Module({
  imports: [AuthModule, UsageModule],
  providers: [
    RateLimitService,
    { provide: REDIS, useFactory: connectCounters, inject: [CONFIG, Metrics] },
    { provide: Counters, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
  exports: [RateLimitService],
})
export class CountersModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Connection) {}

  onApplicationShutdown(): void {
    // The listener is the one that connects to sentinels again.
    this.redis?.removeAllListeners('end').disconnect();
  }
}
