import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { endpointAway, endpointRemoved } from '../../common/errors/common.errors.js';
import { Clock } from '../../common/time.js';
import { CONFIG, type Config } from '../../config/config.js';
import { requestOf } from './context.js';
import { routeOf } from './route-scope.js';

/**
 * Refuses operations that have a sunset date: always if the operator has set ENFORCE_SUNSET, before and after that date, and within the
 * intervals of SUNSET_BROWNOUTS.
 */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError endpoint_removed */
  canActivate(context: ExecutionContext): boolean {
    const { operation } = routeOf(requestOf(context));
    if (!operation?.sunset) return true;
    const replacement = `GET ${operation.sunset.successor}`;
    if (this.config.enforceSunset) throw endpointRemoved(replacement);
    const nowMs = this.clock.nowMs();
    const brownout = this.config.sunsetBrownouts.find(
      ({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs,
    );
    if (brownout) throw endpointAway(replacement, new Date(brownout.untilMs));
    return true;
  }
}
