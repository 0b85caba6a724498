import { Controller, Get } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { CurrentKey } from '../auth/caller.js';
import type { CallerKey } from '../auth/caller-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { RateLimitDto } from './dto/rate-limit.dto.js';
import { RateLimitService } from './rate-limit.service.js';

@ApiTags('Limits')
@Controller({ path: 'rate-limit', version: '1' })
export class RateLimitController {
  constructor(private readonly limits: RateLimitService) {}

  @Get()
  @SkipThrottle()
  @Operation({
    id: 'getRateLimit',
    summary: 'What is left of the limits.',
    description:
      'The key and its plan, what each window has left, and the end of a ban. Free of charge; it also answers while the windows are exhausted and ' +
      'during a ban.',
    stability: 'experimental',
    access: 'read',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The windows of the key.', type: RateLimitDto })
  async getRateLimit(@CurrentKey() key: CallerKey): Promise<RateLimitDto> {
    return RateLimitDto.from(key, await this.limits.peek(key));
  }
}
