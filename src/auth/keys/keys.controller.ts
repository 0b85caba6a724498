import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { HTTP_ERRORS } from '../../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, DEFAULT_SORT_ORDER, MAX_PAGE_SIZE } from '../../platform/common/paging.js';
import { ApiNoBody, NoBody } from '../../platform/http/requests/validation/rules.js';
import { ApiIfNoneMatch, Preconditions, type Precondition } from '../../platform/http/responses/etag.js';
import { Links, setNextPage } from '../../platform/http/responses/links.js';
import { LOCATION } from '../../platform/http/responses/response-headers.js';
import { ApiArrayResponse } from '../../platform/http/operations/schemas.js';
import { AUTH_ERRORS } from '../auth.errors.js';
import { CurrentKey, keyIdOfPath } from '../caller.js';
import { type CallerKey, DEFAULT_OVERLAP_SECONDS } from './api-key.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyEventDto, ListKeyEventsQuery, ListKeysQuery } from './dto/key-lists.dto.js';
import { IssuedKeyDto, KeyDto, KeyRotationDto, KeyUpdateDto, NewKeyDto } from './dto/keys.dto.js';
import { KEY_PARAM, KeyChangeOperation, KeyOperation, KeysOperation } from './key-operation.js';
import { checkOf, tagged } from './key-tags.js';

@ApiTags('Keys')
@Controller({ path: 'keys', version: '1' })
export class KeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly links: Links,
  ) {}

  @Get()
  @KeysOperation({
    id: 'listKeys',
    summary: 'List the keys.',
    description:
      'Oldest first, or newest first with `order=desc`, revoked and expired ones included, in pages as those of listPets.',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(KeyDto, { title: 'Keys', description: 'A page of keys.', maxItems: MAX_PAGE_SIZE })
  async listKeys(
    @Query() query: ListKeysQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto[]> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    const { items, nextCursor } = await this.keys.list(filter, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, '/keys', { limit, ...filter }, nextCursor);
    return items;
  }

  @Post()
  @HttpCode(201)
  @KeysOperation({
    id: 'createKey',
    summary: 'Issue a key.',
    description:
      'The answer has the secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. ' +
      'Keys with `admin` access are issued by the command line only.',
    errors: [HTTP_ERRORS.precondition_failed],
  })
  @ApiIfNoneMatch()
  @ApiBody({ type: NewKeyDto })
  @ApiResponse({ status: 201, description: 'Key issued.', type: IssuedKeyDto })
  async createKey(
    @Body() body: NewKeyDto,
    @CurrentKey() caller: CallerKey,
    @Preconditions() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyDto> {
    precondition();
    const { key, ...issued } = await this.keys.create(body, caller);
    void reply.header(LOCATION.name, this.links.to(`/keys/${issued.id}`));
    return Object.assign(tagged(reply, issued), { key });
  }

  @Get(':keyId')
  @KeyOperation(true, {
    id: 'getKey',
    summary: 'Fetch one key.',
    description: 'Everything about a key but its secret.',
  })
  @ApiResponse({ status: 200, description: 'The key.', type: KeyDto })
  async getKey(
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto> {
    return tagged(reply, await this.keys.get(keyIdOfPath(keyId, caller)));
  }

  @Patch(':keyId')
  @KeyChangeOperation(false, {
    id: 'updateKey',
    summary: 'Change a key.',
    description:
      'Changes any of name, reference, access, expiry and plan: `{"expiresAt": null}`. An expired key comes back with a later expiry, a ' +
      'revoked one never. Running windows continue with new limits. All replicas apply a change within a second.',
    errors: [HTTP_ERRORS.invalid_status_transition],
  })
  @ApiBody({ type: KeyUpdateDto })
  @ApiResponse({ status: 200, description: 'The changed key.', type: KeyDto })
  async updateKey(
    @Body() body: KeyUpdateDto,
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Preconditions() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto> {
    const id = keyIdOfPath(keyId, caller);
    return tagged(reply, await this.keys.update(id, body, caller, checkOf(precondition)));
  }

  @Delete(':keyId')
  @HttpCode(204)
  @KeyChangeOperation(false, {
    id: 'revokeKey',
    summary: 'Revoke a key.',
    description:
      'Ends a key for good: all replicas refuse it within a second. Its open orders stay with the store. A key that is revoked already stays so.',
  })
  @ApiResponse({ status: 204, description: 'The key is revoked.' })
  async revokeKey(
    @Body() _body: NoBody,
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Preconditions() precondition: Precondition,
  ): Promise<void> {
    await this.keys.revoke(keyIdOfPath(keyId, caller), caller, checkOf(precondition));
  }

  @Post(':keyId/rotate')
  @HttpCode(200)
  @KeyChangeOperation(true, {
    id: 'rotateKey',
    summary: 'Give a key a new secret.',
    description:
      'The answer has the new secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. The ' +
      'newest secret so far works until the overlap ends, each older one until its own end, so a rotation that is repeated after a lost answer ' +
      'stops nothing before. `"overlapSeconds": 0` ends every older one. At most five work at a time: the oldest ends. A key rotates itself ' +
      'with its newest secret only. Id, limits, counters and orders stay.',
    errors: [AUTH_ERRORS.outdated_secret, HTTP_ERRORS.invalid_status_transition],
    isForNewestSecret: true,
  })
  @ApiBody({ type: KeyRotationDto, required: false })
  @ApiResponse({ status: 200, description: 'The key with its new secret.', type: IssuedKeyDto })
  async rotateKey(
    @Body() body: KeyRotationDto,
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Preconditions() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKeyDto> {
    const overlapMs = Number(body.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS) * 1_000;
    const id = keyIdOfPath(keyId, caller);
    const { key, ...rotated } = await this.keys.rotate(id, overlapMs, caller, checkOf(precondition));
    return Object.assign(tagged(reply, rotated), { key });
  }

  @Post(':keyId/unban')
  @HttpCode(200)
  @KeyChangeOperation(false, {
    id: 'unbanKey',
    summary: 'End the ban of a key.',
    description: 'Ends a ban and forgets the refusals that led to it: the next ban is the shortest again.',
  })
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The key.', type: KeyDto })
  async unbanKey(
    @Body() _body: NoBody,
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Preconditions() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyDto> {
    const id = keyIdOfPath(keyId, caller);
    return tagged(reply, await this.keys.unban(id, caller, checkOf(precondition)));
  }

  @Get(':keyId/events')
  @KeyOperation(true, {
    id: 'listKeyEvents',
    summary: 'The history of a key.',
    description:
      'What was done to the key, when, by whom (`actorName`: the name of that key now) and what changed; oldest first, or newest first with `order=desc`, in pages as those of listPets.',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(KeyEventDto, {
    title: 'KeyEvents',
    description: 'A page of events.',
    maxItems: MAX_PAGE_SIZE,
  })
  async listKeyEvents(
    @Query() query: ListKeyEventsQuery,
    @Param(KEY_PARAM) keyId: string,
    @CurrentKey() caller: CallerKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyEventDto[]> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...others } = query;
    const { order = DEFAULT_SORT_ORDER } = others;
    const id = keyIdOfPath(keyId, caller);
    const { items, nextCursor } = await this.keys.events(id, order, limit, cursor);
    if (nextCursor !== undefined)
      setNextPage(reply, this.links, `/keys/${id}/events`, { limit, ...others }, nextCursor);
    return items;
  }
}
