import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { PetStatus } from '../../pets/pet.js';

const count = (description: string, example: number) =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

@ApiSchema({ name: 'Inventory', description: 'The number of animals of every status.' })
export class InventoryDto implements Record<PetStatus, bigint> {
  @count('Animals that can be had.', 120)
  available!: bigint;

  @count('Animals that are reserved.', 4)
  pending!: bigint;

  @count('Animals that are sold.', 1_880)
  sold!: bigint;
}
