import { Module } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { Idempotency } from './idempotency.service.js';

/** Controllers use the `Idempotent` decorator; its interceptor needs what this module exports. */
@Module({ providers: [Idempotency, IdempotencyRepository], exports: [Idempotency] })
export class IdempotencyModule {
  constructor(tasks: BackgroundTasks, repository: IdempotencyRepository) {
    tasks.sweep('idempotency keys', async (limit) => {
      await repository.truncateExpired();
      return repository.removeExpired(limit);
    });
  }
}
