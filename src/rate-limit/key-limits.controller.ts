import { Controller, Get } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { KeyId } from '../auth/key-id.decorator.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { Operation } from '../auth/operation.decorator.js';
import { RateLimitDto } from './dto/rate-limit.dto.js';
import { RateLimitService } from './rate-limit.service.js';

/** Beside the other operations of keys (keys/), because limits are decided here. */
@ApiTags('Keys')
@Controller({ path: 'keys', version: '1' })
export class KeyLimitsController {
  constructor(
    private readonly limits: RateLimitService,
    private readonly keys: ApiKeysService,
  ) {}

  @Get(':keyId/rate-limit')
  @Operation({
    id: 'getKeyLimits',
    summary: 'What is left of the limits of one key.',
    description:
      'As getRateLimit, of that key, also while it is banned, revoked or expired. It charges that key nothing, and counts as a request of the ' +
      'caller.',
    stability: 'beta',
    access: 'admin',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The windows of the key.', type: RateLimitDto })
  async getKeyLimits(@KeyId('own') id: string): Promise<RateLimitDto> {
    const key = await this.keys.limited(id);
    return RateLimitDto.from(key, await this.limits.peek(key));
  }
}
