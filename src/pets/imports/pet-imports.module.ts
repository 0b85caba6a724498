import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CatalogueModule } from '../catalogue.module.js';
import { PetImportEntity } from './import.entity.js';
import { PetImportsService } from './pet-imports.service.js';

/** The import of files, for its command. */
@Module({
  imports: [TypeOrmModule.forFeature([PetImportEntity]), CatalogueModule],
  providers: [PetImportsService],
  exports: [PetImportsService],
})
export class PetImportsModule {}
