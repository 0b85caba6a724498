import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentKey } from '../../auth/caller.js';
import type { CallerKey } from '../../auth/keys/api-key.js';
import { Operation } from '../../platform/http/operations/operation.decorator.js';
import { ApiArrayResponse } from '../../platform/http/operations/schemas.js';
import { DEFAULT_DAYS, MAX_DAYS, UsageDayDto, UsageQuery } from './dto/usage.dto.js';
import { UsageService } from './usage.service.js';

@ApiTags('Limits')
@Controller({ path: 'usage', version: '1' })
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @Operation({
    id: 'getUsage',
    summary: 'The usage of the key, day by day.',
    description:
      'One entry for each UTC day, oldest first, including days without requests. Today is last and at most 10 s behind. ' +
      'The call itself counts as a request; requests that are free of charge are not counted.',
    stability: 'experimental',
    errors: [],
  })
  @ApiArrayResponse(UsageDayDto, {
    title: 'UsageDays',
    description: 'One entry for each day, oldest first, today last.',
    minItems: 1,
    maxItems: MAX_DAYS,
  })
  getUsage(@Query() query: UsageQuery, @CurrentKey() key: CallerKey): Promise<UsageDayDto[]> {
    return this.usage.lastDays(key.id, query.days ?? DEFAULT_DAYS);
  }
}
