import { Controller, Get } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operations/operation.decorator.js';
import { PetsService } from '../pets/pets.service.js';
import { InventoryDto } from './dto/inventory.dto.js';

@ApiTags('Store')
@Controller({ path: 'store/inventory', version: '1' })
export class InventoryController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @Operation({
    id: 'getInventory',
    summary: 'Count the animals by status.',
    description:
      'How many animals are available, pending and sold: exact, and as fast with ten million animals as with ten.',
    stability: 'experimental',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The number of animals of every status.', type: InventoryDto })
  getInventory(): Promise<InventoryDto> {
    return this.pets.inventory();
  }
}
