import { Injectable } from '@nestjs/common';

/** The time, in one place, so that a test can turn it. */
@Injectable()
export class Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number {
    return Date.now();
  }
}
