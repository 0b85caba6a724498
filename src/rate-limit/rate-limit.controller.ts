import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { callerKeyOf } from '../auth/caller.js';
import { Operation } from '../common/http/operation.decorator.js';
import { NoParameters } from '../common/validation/no-parameters.dto.js';
import { PlanStorage } from './plan-storage.js';
import { RateLimitDto } from './dto/rate-limit.dto.js';
import { toRateLimit } from './rate-limit.mapper.js';
import { subjectOfKey } from './subject.js';

@ApiTags('Limits')
@Controller({ path: 'rate-limit', version: '1' })
export class RateLimitController {
  constructor(private readonly storage: PlanStorage) {}

  @Get()
  @SkipThrottle()
  @Operation({
    id: 'getRateLimit',
    summary: 'What is left of the limits.',
    description: 'Free of charge, and answered with the windows exhausted and during a ban too.',
    stability: 'experimental',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The windows of the key.', type: RateLimitDto })
  async getRateLimit(
    @Query() _parameters: NoParameters,
    @Req() request: FastifyRequest,
  ): Promise<RateLimitDto> {
    const key = callerKeyOf(request);
    return toRateLimit(key.plan, await this.storage.peek(subjectOfKey(key)));
  }
}
