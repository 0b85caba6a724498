import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ACCESS_LEVELS, type Access } from '../../auth/access.js';
import type { LimitedKey } from '../../auth/caller-key.js';
import { MAX_PLAN_LIMIT, PLAN_NAMES, type Plan } from '../../auth/plans.js';
import type { Decision, WindowName } from 'exact-rate-limiter';

/** The end of the year 9999, the last one that RFC 3339 can write. An int32 of seconds ends in 2038. */
export const MAX_UNIX_SECONDS = 253_402_300_799;

const count = (minimum: number, description: string, example: number) =>
  ApiProperty({ type: 'integer', format: 'int32', minimum, maximum: MAX_PLAN_LIMIT, description, example });

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

@ApiSchema({ name: 'OwnKey', description: 'The key whose limits these are.' })
export class OwnKeyDto {
  @ApiProperty({ type: String, format: 'uuid', maxLength: 36, description: 'Identifier of the key.' })
  id!: string;

  @ApiProperty({ type: String, maxLength: 255, description: 'Whose key it is.', example: 'price feed' })
  name!: string;

  @ApiProperty({
    type: String,
    maxLength: 12,
    description: 'How the secret begins.',
    example: 'ask_003aUlTJ',
  })
  prefix!: string;

  @ApiProperty({ enum: ACCESS_LEVELS, enumName: 'Access', description: 'What the key may do.' })
  access!: Access;

  @ApiProperty({
    type: String,
    format: 'date-time',
    maxLength: 24,
    nullable: true,
    description: 'When the key, or a secret that was rotated, ends (RFC 3339); null: never.',
    example: null,
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

  @ApiProperty({ type: OwnKeyDto })
  key!: OwnKeyDto;

  static from(key: LimitedKey, { windows, bannedUntilMs }: Decision): RateLimitDto {
    const { id, plan, name, prefix, access, expiresAtMs } = key;
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
    return {
      plan,
      key: { id, name, prefix, access, expiresAt },
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
