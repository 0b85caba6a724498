import { Module } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Controllers use the `Idempotent` decorator; its interceptor uses the repository. */
@Module({ providers: [IdempotencyRepository], exports: [IdempotencyRepository] })
export class IdempotencyModule {
  constructor(tasks: BackgroundTasks, repository: IdempotencyRepository) {
    tasks.sweep('idempotency keys', (limit) => repository.removeExpired(limit));
  }
}
