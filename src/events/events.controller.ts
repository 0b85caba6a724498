import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentKey } from '../auth/caller.js';
import type { CallerKey } from '../auth/keys/api-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../platform/common/paging.js';
import { Links, setNextPage } from '../platform/http/responses/links.js';
import { NEXT_CURSOR } from '../platform/http/responses/response-headers.js';
import { EVENT_DTOS, type EventDto, ListEventsQuery } from './dto/events.dto.js';
import { eventDtoOf } from './event-view.js';
import { EVENT_ERRORS } from './events.errors.js';
import { EventsService } from './events.service.js';

@ApiTags('Events')
@Controller({ path: 'events', version: '1' })
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly links: Links,
  ) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'Follow what happens.',
    description:
      'What happened, oldest first: `GET /events?types=order.placed`. `X-Next-Cursor` is always there, also after an empty page: it is where ' +
      'to go on. Without a cursor the list begins with the oldest event that is kept; `cursor=latest` names the end of the feed. A caller who ' +
      'follows gets each event exactly once. Everybody sees `pet.*`; a key sees its own `order.*` and `key.*`; `manage` sees all orders, ' +
      '`admin` all keys.',
    stability: 'beta',
    access: 'read',
    errors: [HTTP_ERRORS.invalid_cursor, EVENT_ERRORS.event_expired],
  })
  // A DTO's property cannot declare this.
  @ApiQuery({ name: 'types', required: false, style: 'form', explode: false })
  @ApiExtraModels(...EVENT_DTOS)
  @ApiResponse({
    status: 200,
    description: 'A page of events.',
    schema: {
      title: 'Events',
      type: 'array',
      description: 'A page of events.',
      maxItems: MAX_PAGE_SIZE,
      items: { oneOf: EVENT_DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })) },
    },
  })
  async listEvents(
    @Query() query: ListEventsQuery,
    @CurrentKey() key: CallerKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventDto[]> {
    const { types, limit = DEFAULT_PAGE_SIZE, cursor } = query;
    const { items, nextCursor, hasMore } = await this.events.list(key, types, limit, cursor);
    if (hasMore) setNextPage(reply, this.links, '/events', { types: types?.join(','), limit }, nextCursor);
    void reply.header(NEXT_CURSOR.name, nextCursor);
    return items.map((event) => eventDtoOf(event, key.access));
  }
}
