import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module.js';
import { CatalogueModule } from './catalogue.module.js';
import { PetsController } from './pets.controller.js';

@Module({
  imports: [CatalogueModule, IdempotencyModule],
  controllers: [PetsController],
  exports: [CatalogueModule],
})
export class PetsModule {}
