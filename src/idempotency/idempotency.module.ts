import { Module } from '@nestjs/common';
import { IdempotencySweeper } from './idempotency-sweeper.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { Idempotency } from './idempotency.service.js';

/** Controllers use the `Idempotent` decorator; its interceptor needs what this module exports. */
@Module({
  providers: [Idempotency, IdempotencyRepository, IdempotencySweeper],
  exports: [Idempotency],
})
export class IdempotencyModule {}
