import { Module } from '@nestjs/common';
import { Sweeper } from '../common/sweeper.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { Idempotency } from './idempotency.service.js';

/** Controllers use the `Idempotent` decorator; its interceptor needs what this module exports. */
@Module({ providers: [Idempotency, IdempotencyRepository], exports: [Idempotency] })
export class IdempotencyModule {
  constructor(sweeper: Sweeper, repository: IdempotencyRepository) {
    sweeper.add('idempotency keys', async (limit) => {
      await repository.truncateExpired();
      return repository.removeExpired(limit);
    });
  }
}
