import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HTTP_ERRORS } from '../../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../platform/common/paging.js';
import { ApiNoBody, NoBody } from '../../platform/http/requests/validation/rules.js';
import { Links, setNextPage } from '../../platform/http/responses/links.js';
import { ApiArrayResponse } from '../../platform/http/operations/schemas.js';
import { AUTH_ERRORS } from '../auth.errors.js';
import { Change } from '../change.decorator.js';
import { KEY_PARAM, KeyId } from '../key-id.decorator.js';
import { Operation } from '../operation.decorator.js';
import { DEFAULT_OVERLAP_SECONDS } from './api-key.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyEventDto, ListKeyEventsQuery, ListKeysQuery } from './dto/key-lists.dto.js';
import { IssuedKeyDto, KeyDto, KeyRotationDto, KeyUpdateDto, NewKeyDto } from './dto/keys.dto.js';
import { checkOf, tagged } from './key-tags.js';

@ApiTags('Keys')
@Controller({ path: 'keys', version: '1' })
export class KeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly links: Links,
  ) {}

  @Get()
  @Operation({
    id: 'listKeys',
    summary: 'List the keys.',
    description: 'Oldest first, revoked and expired ones included, in pages as those of listPets.',
    stability: 'beta',
    access: 'admin',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(KeyDto, { title: 'Keys', description: 'A page of keys.', maxItems: MAX_PAGE_SIZE })
  async listKeys(
    @Query() query: ListKeysQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto[]> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    const { items, nextCursor } = await this.keys.list(filter, limit, cursor);
    const parameters = { limit, ...escaped(filter) };
    if (nextCursor !== undefined) setNextPage(reply, this.links, '/keys', parameters, nextCursor);
    return items;
  }

  @Post()
  @HttpCode(201)
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
  @ApiBody({ type: NewKeyDto })
  @ApiResponse({ status: 201, description: 'Key issued.', type: IssuedKeyDto })
  async createKey(
    @Body() body: NewKeyDto,
    @Change('collection') { key: caller, check }: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyDto> {
    check();
    const { key, ...issued } = await this.keys.create(body, caller);
    return Object.assign(tagged(reply, issued), { key });
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
  async getKey(@KeyId('own') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<KeyDto> {
    return tagged(reply, await this.keys.get(id));
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
    errors: [HTTP_ERRORS.invalid_status_transition],
  })
  @ApiBody({ type: KeyUpdateDto })
  @ApiResponse({ status: 200, description: 'The changed key.', type: KeyDto })
  async updateKey(
    @Body() body: KeyUpdateDto,
    @KeyId() id: string,
    @Change() { key: caller, check }: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto> {
    return tagged(reply, await this.keys.update(id, body, caller, checkOf(check)));
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
    await this.keys.revoke(id, caller, checkOf(check));
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
    errors: [AUTH_ERRORS.outdated_secret, HTTP_ERRORS.invalid_status_transition],
  })
  @ApiBody({ type: KeyRotationDto, required: false })
  @ApiResponse({ status: 200, description: 'The key with its new secret.', type: IssuedKeyDto })
  async rotateKey(
    @Body() body: KeyRotationDto,
    @KeyId('own') id: string,
    @Change() { key: caller, check }: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyDto> {
    const overlapMs = Number(body.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS) * 1_000;
    const { key, ...rotated } = await this.keys.rotate(id, overlapMs, caller, checkOf(check));
    return Object.assign(tagged(reply, rotated), { key });
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
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The key.', type: KeyDto })
  async unbanKey(
    @Body() _body: NoBody,
    @KeyId() id: string,
    @Change() { key: caller, check }: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto> {
    return tagged(reply, await this.keys.unban(id, caller, checkOf(check)));
  }

  @Get(':keyId/events')
  @Operation({
    id: 'listKeyEvents',
    summary: 'The history of a key.',
    description:
      'What was done to the key, when, by whom and what changed; oldest first, in pages as those of listPets.',
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
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyEventDto[]> {
    const { limit = DEFAULT_PAGE_SIZE, cursor } = query;
    const { items, nextCursor } = await this.keys.events(id, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, `/keys/${id}/events`, { limit }, nextCursor);
    return items.map((event) => KeyEventDto.of(event));
  }
}

/** Names and references are free text. */
function escaped(filter: object): Record<string, string> {
  const entries = Object.entries(filter as Record<string, string | undefined>);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeURIComponent(value)]])),
  );
}
