import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentKey } from '../../auth/caller.js';
import type { CallerKey } from '../../auth/caller-key.js';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { KEY_PARAM, KeyId } from '../../auth/key-id.decorator.js';
import { Operation } from '../../auth/operation.decorator.js';
import { ApiArrayResponse } from '../../platform/http/operations/schemas.js';
import { DEFAULT_DAYS, MAX_DAYS, UsageDayDto, UsageQuery } from './dto/usage.dto.js';
import { UsageService } from './usage.service.js';

const ApiUsageDays = () =>
  ApiArrayResponse(UsageDayDto, {
    title: 'UsageDays',
    description: 'One entry for each day, oldest first, today last.',
    minItems: 1,
    maxItems: MAX_DAYS,
  });

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
    access: 'read',
    errors: [],
  })
  @ApiUsageDays()
  async getUsage(@Query() query: UsageQuery, @CurrentKey() key: CallerKey): Promise<UsageDayDto[]> {
    return (await this.usage.lastDays(key.id, query.days ?? DEFAULT_DAYS)).map((day) =>
      UsageDayDto.from(day),
    );
  }
}

/** Beside the other operations of keys (keys/), because usage is counted here. */
@ApiTags('Keys')
@Controller({ path: 'keys', version: '1' })
export class KeyUsageController {
  constructor(
    private readonly usage: UsageService,
    private readonly keys: ApiKeysService,
  ) {}

  @Get(':keyId/usage')
  @Operation({
    id: 'getKeyUsage',
    summary: 'The usage of one key, day by day.',
    description: 'As getUsage, of that key, also when it is revoked or has expired.',
    stability: 'beta',
    access: 'admin',
    selfParam: KEY_PARAM,
    errors: [],
  })
  @ApiUsageDays()
  async getKeyUsage(@Query() query: UsageQuery, @KeyId('own') keyId: string): Promise<UsageDayDto[]> {
    const { id } = await this.keys.get(keyId);
    return (await this.usage.lastDays(id, query.days ?? DEFAULT_DAYS)).map((day) => UsageDayDto.from(day));
  }
}
