import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { CallerKey } from '../../auth/keys/api-key.js';
import { MAX_LIMIT, PLAN_NAMES, type Plan } from '../../auth/plans.js';
import { ACCESS_LEVELS, type Access } from '../../platform/common/access.js';
import { UUID_SCHEMA } from '../../platform/http/operations/schemas.js';
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

@ApiSchema({ name: 'RateLimitKey', description: 'The key behind the request.' })
export class RateLimitKeyDto {
  @ApiProperty(UUID_SCHEMA)
  id!: string;

  @ApiProperty({ type: String, maxLength: 100, example: 'Happy Paws' })
  name!: string;

  @ApiProperty({
    type: String,
    maxLength: 12,
    description: 'How its secret begins.',
    example: 'ask_003aUlTJ',
  })
  prefix!: string;

  @ApiProperty({ type: String, enum: ACCESS_LEVELS, example: 'order' })
  access!: Access;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    nullable: true,
    description:
      'When the secret that was sent ends (RFC 3339, UTC): with its key or, after a rotation, earlier. null: never.',
    example: '2027-11-20T12:00:00.000Z',
  })
  expiresAt!: string | null;
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

  @ApiProperty({ type: RateLimitKeyDto, description: 'Whose key it is, and what it may do.' })
  key!: RateLimitKeyDto;

  static of(key: CallerKey, { windows, bannedUntilMs }: Decision): RateLimitDto {
    const { id, name, prefix, access, expiresAtMs } = key;
    return {
      plan: key.plan,
      windows: windows.map(({ name, limit, remaining, resetAtMs }) => ({
        name,
        limit,
        remaining,
        resetAt: resetAtMs / 1000,
      })),
      bannedUntil: timeOf(bannedUntilMs),
      key: { id, name, prefix, access, expiresAt: timeOf(expiresAtMs) },
    };
  }
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
