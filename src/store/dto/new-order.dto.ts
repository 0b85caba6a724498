import { ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '../../http/operations/api-schemas.js';
import { IsInt64 } from '../../http/requests/validation/rules.js';

@ApiSchema({ name: 'NewOrder', description: 'An order to place.' })
export class NewOrderDto {
  @IsInt64()
  @ApiInt64('The animal to reserve: it must be available.', 42)
  petId!: bigint;
}
