import { Module } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks.js';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';

@Module({ providers: [Idempotency, IdempotencyRepository], exports: [Idempotency] })
export class IdempotencyModule {
  constructor(tasks: BackgroundTasks, repository: IdempotencyRepository) {
    tasks.sweep('idempotency keys', (limit) => repository.removeExpired(limit));
  }
}
