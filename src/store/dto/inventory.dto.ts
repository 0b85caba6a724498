import { ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '../../http/operations/api-schemas.js';
import type { PetStatus } from '../../pets/pet-status.js';

@ApiSchema({ name: 'Inventory', description: 'The number of animals of every status.' })
export class InventoryDto implements Record<PetStatus, bigint> {
  @ApiInt64('Available animals.', 120, { minimum: 0 })
  available!: bigint;

  @ApiInt64('Reserved animals.', 4, { minimum: 0 })
  pending!: bigint;

  @ApiInt64('Sold animals.', 1_880, { minimum: 0 })
  sold!: bigint;
}
