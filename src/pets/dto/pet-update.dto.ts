import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt64, IsName, IsOneOf, Optional } from '../../http/requests/validation/rules.js';
import { PET_STATUSES, type PetStatus } from '../pet-status.js';

@ApiSchema({ name: 'PetUpdate', description: 'Changes to an animal: at least one field.' })
export class PetUpdateDto {
  @Optional()
  @IsName()
  @ApiPropertyOptional({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name?: string;

  @Optional()
  @IsInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the category the animal belongs to: any int64, not checked for existence.',
    example: 7,
  })
  categoryId?: bigint;

  @Optional()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'From available to pending or sold, from pending to available or sold; sold is final.',
  })
  status?: PetStatus;
}
