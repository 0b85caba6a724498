import { Module } from '@nestjs/common';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

/** The animals themselves, without HTTP: what commands need as well. */
@Module({ providers: [PetsRepository, PetsService], exports: [PetsService] })
export class CatalogueModule {}
