import { Controller, Get, Query } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { Operation } from '../common/http/operation.decorator.js';
import { NoParameters } from '../common/validation/no-parameters.dto.js';
import { PetsService } from '../pets/pets.service.js';
import { InventoryDto } from './dto/inventory.dto.js';

@ApiTags('Store')
@Controller({ path: 'store/inventory', version: '1' })
export class InventoryController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @Operation({
    id: 'getInventory',
    summary: 'How many animals there are of every status.',
    description: 'Counted anew for every request: over many animals it takes its time.',
    stability: 'experimental',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The numbers of animals.', type: InventoryDto })
  getInventory(@Query() _parameters: NoParameters): Promise<InventoryDto> {
    return this.pets.inventory();
  }
}
