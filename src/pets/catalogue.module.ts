import { Module } from '@nestjs/common';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

/** The animals without HTTP, for commands. */
@Module({ providers: [PetsRepository, PetsService], exports: [PetsService] })
export class CatalogueModule {}
