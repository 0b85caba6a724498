import { Injectable } from '@nestjs/common';

/** The time, in one place, so that a test can turn it. */
@Injectable()
export class Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number {
    return Date.now();
  }

  /** Milliseconds that only ever grow, for how long something lasted; says nothing about the time of day. */
  monotonicMs(): number {
    return performance.now();
  }
}
