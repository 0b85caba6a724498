import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Lifecycle } from '../common/lifecycle.js';
import { Repeated } from '../common/repeated.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const SWEEP_EVERY_MS = 60_000;
const ROWS_A_STATEMENT = 500;

/** Removes what has expired, from any number of replicas at once. */
@Injectable()
export class IdempotencySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private readonly rounds = new Repeated(SWEEP_EVERY_MS, () => this.sweep());

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly lifecycle: Lifecycle,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async sweep(): Promise<void> {
    try {
      let removed = ROWS_A_STATEMENT;
      while (removed === ROWS_A_STATEMENT && this.lifecycle.state === 'serving') {
        removed = await this.repository.removeExpired(ROWS_A_STATEMENT);
      }
    } catch (error) {
      // An expired key is not looked at, so nothing goes wrong until the next round.
      this.logger.warn({ err: error }, 'expired idempotency keys cannot be removed');
    }
  }
}
