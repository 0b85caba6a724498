import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import { invalidStatusTransition } from '../platform/common/errors/common.errors.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import {
  DEFAULT_PAGE_SIZE,
  DEFAULT_SORT_ORDER,
  MAX_PAGE_SIZE,
  type Page,
} from '../platform/common/paging.js';
import { ApiNoBody, NoBody } from '../platform/http/requests/validation/rules.js';
import { ApiArrayResponse } from '../platform/http/operations/schemas.js';
import { Idempotent } from '../platform/idempotency/idempotency.js';
import { AUTH_ERRORS } from '../auth/auth.errors.js';
import { Change } from '../auth/change.decorator.js';
import { KEY_PARAM, KeyId } from '../auth/key-id.decorator.js';
import { Operation } from '../auth/operation.decorator.js';
import { DEFAULT_OVERLAP_SECONDS } from '../auth/keys/api-key.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { KeyEventDto, ListKeyEventsQuery, ListKeysQuery } from './dto/key-lists.dto.js';
import { KeyViews } from './key-views.js';
import { IssuedKeyDto, KeyDto, KeyRotationDto, KeyUpdateDto, NewKeyDto } from './dto/keys.dto.js';

@ApiTags('Keys')
@Controller({ path: 'keys', version: '1' })
export class KeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly views: KeyViews,
  ) {}

  @Get()
  @Operation({
    id: 'listKeys',
    summary: 'List the keys.',
    description:
      'Oldest first, or newest first with `order=desc`, revoked and expired ones included, in pages as those of listPets.',
    stability: 'beta',
    access: 'admin',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(KeyDto, { title: 'Keys', description: 'A page of keys.', maxItems: MAX_PAGE_SIZE })
  async listKeys(@Query() query: ListKeysQuery): Promise<Page<KeyDto>> {
    const { limit = DEFAULT_PAGE_SIZE, cursor } = query;
    return this.views.page(await this.keys.list(this.views.filterFrom(query), limit, cursor));
  }

  @Post()
  @Operation({
    id: 'createKey',
    summary: 'Issue a key.',
    description:
      'The answer has the secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. ' +
      'Keys with `admin` access are issued by the command line only.',
    stability: 'beta',
    access: 'admin',
    errors: [],
    creates: (key: IssuedKeyDto) => `/keys/${key.id}`,
  })
  @ApiResponse({ status: 201, description: 'Key issued.', type: IssuedKeyDto })
  async createKey(
    @Body() body: NewKeyDto,
    @Change('collection') { key: caller, check }: Change,
  ): Promise<IssuedKeyDto> {
    check();
    return this.views.created(await this.keys.create(body, caller));
  }

  @Get(':keyId')
  @Operation({
    id: 'getKey',
    summary: 'Fetch one key.',
    description: 'Everything about a key but its secret.',
    stability: 'beta',
    access: 'admin',
    selfParam: KEY_PARAM,
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The key.', type: KeyDto })
  async getKey(@KeyId('own') id: string): Promise<KeyDto> {
    return this.views.one(await this.keys.get(id));
  }

  @Patch(':keyId')
  @Operation({
    id: 'updateKey',
    summary: 'Change a key.',
    description:
      'Changes any of name, reference, access, expiry and plan: `{"expiresAt": null}`. An expired key comes back with a later expiry, a ' +
      'revoked one never. Running windows continue with new limits. All replicas apply a change within a second.',
    stability: 'beta',
    access: 'admin',
    errors: [invalidStatusTransition('state', 'revoked', 'active')],
  })
  @ApiResponse({ status: 200, description: 'The changed key.', type: KeyDto })
  async updateKey(
    @Body() body: KeyUpdateDto,
    @KeyId() id: string,
    @Change() { key: caller, check }: Change,
  ): Promise<KeyDto> {
    return this.views.one(await this.keys.update(id, body, caller, this.views.checking(check)));
  }

  @Delete(':keyId')
  @HttpCode(204)
  @Operation({
    id: 'revokeKey',
    summary: 'Revoke a key.',
    description:
      'Ends a key for good: all replicas refuse it within a second. Its open orders stay with the store. A key that is revoked already stays so.',
    stability: 'beta',
    access: 'admin',
    errors: [],
  })
  @ApiResponse({ status: 204, description: 'The key is revoked.' })
  async revokeKey(
    @Body() _body: NoBody,
    @KeyId() id: string,
    @Change() { key: caller, check }: Change,
  ): Promise<void> {
    await this.keys.revoke(id, caller, this.views.checking(check));
  }

  @Post(':keyId/rotate')
  @HttpCode(200)
  @Operation({
    id: 'rotateKey',
    summary: 'Give a key a new secret.',
    description:
      'The answer has the new secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. The ' +
      'newest secret so far works until the overlap ends, each older one until its own end, so a rotation that is repeated after a lost answer ' +
      'stops nothing before. `"overlapSeconds": 0` ends every older one. At most five work at a time: the oldest ends. A key rotates itself ' +
      'with its newest secret only. Id, limits, counters and orders stay.',
    stability: 'beta',
    access: 'admin',
    selfParam: KEY_PARAM,
    isForNewestSecret: true,
    errors: [AUTH_ERRORS.outdated_secret, invalidStatusTransition('state', 'revoked', 'rotated')],
  })
  @ApiBody({ type: KeyRotationDto, required: false })
  @ApiResponse({ status: 200, description: 'The key with its new secret.', type: IssuedKeyDto })
  async rotateKey(
    @Body() body: KeyRotationDto,
    @KeyId('own') id: string,
    @Change() { key: caller, check }: Change,
  ): Promise<IssuedKeyDto> {
    const overlapMs = Number(body.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS) * 1_000;
    return this.views.rotated(id, () => this.keys.rotate(id, overlapMs, caller, this.views.checking(check)));
  }

  @Post(':keyId/unban')
  @HttpCode(200)
  @Operation({
    id: 'unbanKey',
    summary: 'End the ban of a key.',
    description: 'Ends a ban and forgets the refusals that led to it: the next ban is the shortest again.',
    stability: 'beta',
    access: 'admin',
    errors: [],
  })
  @Idempotent()
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The key.', type: KeyDto })
  async unbanKey(
    @Body() _body: NoBody,
    @KeyId() id: string,
    @Change() { key: caller, check }: Change,
  ): Promise<KeyDto> {
    return this.views.one(await this.keys.unban(id, caller, this.views.checking(check)));
  }

  @Get(':keyId/events')
  @Operation({
    id: 'listKeyEvents',
    summary: 'The history of a key.',
    description:
      'What was done to the key, when, by whom (`actorName`: the name of that key now) and what changed; oldest first, or newest first with `order=desc`, in pages as those of listPets.',
    stability: 'beta',
    access: 'admin',
    selfParam: KEY_PARAM,
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(KeyEventDto, {
    title: 'KeyEvents',
    description: 'A page of events.',
    maxItems: MAX_PAGE_SIZE,
  })
  async listKeyEvents(
    @Query() query: ListKeyEventsQuery,
    @KeyId('own') id: string,
  ): Promise<Page<KeyEventDto>> {
    const { limit = DEFAULT_PAGE_SIZE, order = DEFAULT_SORT_ORDER, cursor } = query;
    return this.views.events(await this.keys.events(id, order, limit, cursor));
  }
}
