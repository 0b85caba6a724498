import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BackgroundTasks } from '../common/background-tasks.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { Idempotency, IDEMPOTENCY_OWNER, type IdempotencyOwner } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Makes `@Idempotent()` work in every module. */
@Global()
@Module({})
export class IdempotencyModule {
  constructor(tasks: BackgroundTasks, repository: IdempotencyRepository) {
    tasks.deleteExpired('idempotency keys', (limit) => repository.deleteExpired(limit));
  }

  static forOwner(ownerOf: IdempotencyOwner): DynamicModule {
    return {
      module: IdempotencyModule,
      imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
      providers: [Idempotency, IdempotencyRepository, { provide: IDEMPOTENCY_OWNER, useValue: ownerOf }],
      exports: [Idempotency, IDEMPOTENCY_OWNER],
    };
  }
}
