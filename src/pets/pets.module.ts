import { Module } from '@nestjs/common';
import { CatalogueModule } from './catalogue.module.js';
import { PetsController } from './pets.controller.js';

@Module({
  imports: [CatalogueModule],
  controllers: [PetsController],
  exports: [CatalogueModule],
})
export class PetsModule {}
