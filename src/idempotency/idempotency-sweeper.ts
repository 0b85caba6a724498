import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../common/lifecycle.js';
import { Sweeper } from '../common/sweeper.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Removes idempotency keys that have expired. */
@Injectable()
export class IdempotencySweeper extends Sweeper {
  constructor(
    private readonly repository: IdempotencyRepository,
    lifecycle: Lifecycle,
  ) {
    super('idempotency keys', lifecycle);
  }

  protected async removeBatch(limit: number): Promise<number> {
    await this.repository.truncateExpired();
    return this.repository.removeExpired(limit);
  }
}
