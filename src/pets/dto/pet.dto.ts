import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PET_STATUSES, type Pet, type PetStatus } from '../pet.js';

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto implements Pet {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Unique identifier assigned by the service at creation; never used again.',
    example: 42,
  })
  id!: bigint;

  @ApiProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the category the animal belongs to.',
    example: 7,
  })
  categoryId!: bigint;

  @ApiProperty({ enum: PET_STATUSES, enumName: 'PetStatus', description: 'Whether the animal can be had.' })
  status!: PetStatus;
}
