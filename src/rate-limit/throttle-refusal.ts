import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { THROTTLER_LIMIT, THROTTLER_TTL } from '@nestjs/throttler/dist/throttler.constants.js';

/** Refuses to start an application that sets limits of its own on a route: they would be silently ignored. */
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
  return keys.some((key) => key.startsWith(THROTTLER_LIMIT) || key.startsWith(THROTTLER_TTL));
}
