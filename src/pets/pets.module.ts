import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

/** The animals without HTTP, for commands. */
@Module({ providers: [PetsRepository, PetsService], exports: [PetsService] })
export class CatalogueModule {}

@Module({
  imports: [CatalogueModule, IdempotencyModule],
  controllers: [PetsController],
  exports: [CatalogueModule],
})
export class PetsModule {}
