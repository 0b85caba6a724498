import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Throttle, ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { PLANS } from '../auth/plans.js';
import { MINUTE_MS } from '../common/time.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { CountersModule } from './stores/counters.module.js';

/** The metadata keys of @Throttle, without the name of a throttler. They are read from a probe, because the package does not export them. */
const THROTTLE_KEYS = throttleKeys();

/** Refuses to start an application that sets limits on a route, because those would be ignored. */
@Injectable()
export class ThrottleRefusal implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      if (!metatype) continue;
      const prototype = metatype.prototype as Record<string, object>;
      const handlers = this.scanner
        .getAllMethodNames(prototype)
        .map((name): [string, object] => [`${metatype.name}.${name}`, prototype[name] ?? {}]);
      for (const [place, target] of [[metatype.name, metatype] as [string, object], ...handlers]) {
        if (isThrottled(target)) {
          throw new Error(`${place} has @Throttle, but limits belong to plans: src/auth/plans.ts`);
        }
      }
    }
  }
}

function isThrottled(target: object): boolean {
  const keys = Reflect.getMetadataKeys(target).map(String);
  return keys.some((key) => THROTTLE_KEYS.some((throttleKey) => key.startsWith(throttleKey)));
}

function throttleKeys(): string[] {
  class Probe {}
  Throttle({ '': { limit: 1, ttl: 1 } })(Probe);
  const keys = Reflect.getMetadataKeys(Probe).map(String);
  if (keys.length === 0) throw new Error('@Throttle sets no metadata: limits on routes cannot be found');
  return keys;
}

@Module({
  imports: [
    AuthModule,
    CountersModule,
    DiscoveryModule,
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
  providers: [ThrottleRefusal],
  exports: [AuthModule, CountersModule, ThrottlerModule],
})
export class RateLimitModule {}
