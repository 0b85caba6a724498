import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MAX_LIMIT, PLAN_NAMES, type Plan } from '../../auth/plans.js';
import type { Decision, WindowName } from '../decision.js';

/** The end of the year 9999, the last one that RFC 3339 can write. An int32 of seconds ends in 2038. */
export const MAX_UNIX_SECONDS = 253_402_300_799;

const count = (minimum: number, description: string, example: number) =>
  ApiProperty({ type: 'integer', format: 'int32', minimum, maximum: MAX_LIMIT, description, example });

@ApiSchema({ name: 'RateLimitWindow', description: 'One window of a key.' })
export class RateLimitWindowDto {
  @ApiProperty({ type: String, enum: ['minute', 'day'], example: 'minute' })
  name!: WindowName;

  @count(1, 'Requests the window holds.', 60)
  limit!: number;

  @count(0, 'Requests left in the window.', 59)
  remaining!: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    maximum: MAX_UNIX_SECONDS,
    description: 'When the window ends, in Unix seconds.',
    example: 1795132860,
  })
  resetAt!: number;
}

@ApiSchema({ name: 'RateLimit', description: 'What a key may still do.' })
export class RateLimitDto {
  @ApiProperty({ type: String, enum: PLAN_NAMES, example: 'free' })
  plan!: Plan;

  @ApiProperty({ type: [RateLimitWindowDto], maxItems: 2, description: 'The minute, then the UTC day.' })
  windows!: RateLimitWindowDto[];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    nullable: true,
    description: 'The end of a ban in force (RFC 3339, UTC), or null.',
    example: null,
  })
  bannedUntil!: string | null;

  static of(plan: Plan, { windows, bannedUntilMs }: Decision): RateLimitDto {
    return {
      plan,
      windows: windows.map(({ name, limit, remaining, resetAtMs }) => ({
        name,
        limit,
        remaining,
        resetAt: resetAtMs / 1000,
      })),
      bannedUntil: bannedUntilMs === null ? null : new Date(bannedUntilMs).toISOString(),
    };
  }
}
