import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PLAN_NAMES, type Plan } from '../../auth/plans.js';
import type { WindowName } from '../decision.js';

@ApiSchema({ name: 'RateLimitWindow', description: 'One window of a key.' })
export class RateLimitWindowDto {
  @ApiProperty({ type: String, enum: ['minute', 'day'], example: 'minute' })
  name!: WindowName;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Requests the window holds.', example: 60 })
  limit!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Requests left in the window.', example: 59 })
  remaining!: number;

  @ApiProperty({
    type: 'integer',
    description: 'When the window ends, in Unix seconds.',
    example: 1795132860,
  })
  resetAt!: number;
}

@ApiSchema({ name: 'RateLimit', description: 'What a key may still do.' })
export class RateLimitDto {
  @ApiProperty({ type: String, enum: PLAN_NAMES, example: 'free' })
  plan!: Plan;

  @ApiProperty({ type: [RateLimitWindowDto], description: 'The minute, then the UTC day.' })
  windows!: RateLimitWindowDto[];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'The end of a ban in force (RFC 3339, UTC), or null.',
    example: null,
  })
  bannedUntil!: string | null;
}
