import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsInt64 } from '../../http/requests/validation/rules.js';

@ApiSchema({ name: 'NewOrder', description: 'An order to place.' })
export class NewOrderDto {
  @IsInt64()
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'The animal to reserve: it must be available.',
    example: 42,
  })
  petId!: bigint;
}
