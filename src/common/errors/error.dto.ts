import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { STATUS_OF_CODE, type ErrorBody, type ErrorCode } from './api-error.js';

@ApiSchema({ name: 'Error', description: 'The body of every error answer.' })
export class ErrorDto implements ErrorBody {
  @ApiProperty({
    type: String,
    enum: Object.keys(STATUS_OF_CODE),
    description: 'Machine-readable error code, from a closed set.',
    example: 'invalid_parameter',
  })
  code!: ErrorCode;

  @ApiProperty({
    description: 'Human-readable description: what was at fault, what was expected and what came.',
    example: 'limit: expected an integer from 1 to 100, got "500"',
  })
  message!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 400,
    maximum: 599,
    description: 'The HTTP status code of the response.',
    example: 400,
  })
  status!: number;
}
