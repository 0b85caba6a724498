import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '../../../platform/http/operations/schemas.js';
import type { UsageCounts } from '../usage.repository.js';
import { QueryInteger } from '../../../platform/http/requests/validation/rules.js';

export const DEFAULT_DAYS = 30;
export const MAX_DAYS = 90;

export class UsageQuery {
  @QueryInteger(1, MAX_DAYS, {
    default: DEFAULT_DAYS,
    description: 'How many days are reported, today included: `7` is the last week.',
  })
  days?: number;
}

@ApiSchema({ name: 'UsageDay', description: 'The requests of a key on one UTC day.' })
export class UsageDayDto {
  @ApiProperty({
    type: 'string',
    format: 'date',
    maxLength: 10,
    description: 'The UTC day.',
    example: '2026-11-20',
  })
  date!: string;

  @ApiInt64('Requests that were counted, whatever their response.', 412, { minimum: 0 })
  admitted!: bigint;

  @ApiInt64('Requests that were answered with 429, including those during a ban.', 3, { minimum: 0 })
  refused!: bigint;

  @ApiInt64('Calls of deprecated operations among the admitted.', 0, { minimum: 0 })
  deprecated!: bigint;

  static from({ day, admitted, refused, deprecated }: UsageCounts): UsageDayDto {
    return { date: day, admitted, refused, deprecated };
  }
}
