import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '../../http/operations/api-schemas.js';
import { IsInt64, IsName, IsOneOf, Optional } from '../../http/requests/validation/rules.js';
import { DEFAULT_STATUS, PET_STATUSES, type PetStatus } from '../pet-status.js';

@ApiSchema({ name: 'NewPet', description: 'An animal to add.' })
export class NewPetDto {
  @IsName()
  @ApiProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name!: string;

  @IsInt64()
  @ApiInt64('Identifier of the category the animal belongs to: any int64, not checked for existence.', 7)
  categoryId!: bigint;

  @Optional()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    enumSchema: { description: 'Whether an animal is available.' },
    default: DEFAULT_STATUS,
    description: `One of the PetStatus values; ${DEFAULT_STATUS} when omitted.`,
  })
  status?: PetStatus;
}
