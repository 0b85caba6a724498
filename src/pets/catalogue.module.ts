import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PetEntity } from './pet.entity.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

/** The animals without HTTP, for commands. */
@Module({
  imports: [TypeOrmModule.forFeature([PetEntity])],
  providers: [PetsRepository, PetsService],
  exports: [PetsService],
})
export class CatalogueModule {}
