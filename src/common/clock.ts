import { Injectable } from '@nestjs/common';

/** The only source of time, so that a test can set it. */
@Injectable()
export class Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number {
    return Date.now();
  }

  /** Milliseconds from a clock that never goes back, for durations. Unrelated to the time of day. */
  monotonicMs(): number {
    return performance.now();
  }
}
