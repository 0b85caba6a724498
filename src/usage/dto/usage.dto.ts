import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { QueryInteger } from '../../http/requests/validation/query-rules.js';

export const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;

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

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Requests that were counted, whatever their response.',
    example: 412,
  })
  admitted!: bigint;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Requests that were answered with 429, including those during a ban.',
    example: 3,
  })
  refused!: bigint;
}

/** A report of usage. Nest documents classes only, and a report is a bare array. */
export const USAGE_DAYS_SCHEMA = {
  name: 'UsageDays',
  schema: {
    type: 'array',
    description: 'One entry for each day, oldest first, today last.',
    items: { $ref: getSchemaPath(UsageDayDto) },
    minItems: 1,
    maxItems: MAX_DAYS,
  },
  reference: { $ref: '#/components/schemas/UsageDays' },
} as const;
