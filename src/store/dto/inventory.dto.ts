import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { PetStatus } from '../../pets/pet-status.js';

const count = (description: string, example: number) =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

@ApiSchema({ name: 'Inventory', description: 'The number of animals of every status.' })
export class InventoryDto implements Record<PetStatus, bigint> {
  @count('Available animals.', 120)
  available!: bigint;

  @count('Reserved animals.', 4)
  pending!: bigint;

  @count('Sold animals.', 1_880)
  sold!: bigint;
}
