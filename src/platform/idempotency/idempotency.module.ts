import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BackgroundTasks } from '../common/background-tasks.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [Idempotency, IdempotencyRepository],
  exports: [Idempotency],
})
export class IdempotencyModule {
  constructor(tasks: BackgroundTasks, repository: IdempotencyRepository) {
    tasks.deleteExpired('idempotency keys', (limit) => repository.deleteExpired(limit));
  }
}
