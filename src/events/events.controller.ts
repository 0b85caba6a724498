import { Controller, Get, Query } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { CurrentKey } from '../auth/caller.js';
import type { CallerKey } from '../auth/caller-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page } from '../platform/common/paging.js';
import { EVENT_DTOS, type EventDto, ListEventsQuery } from './dto/events.dto.js';
import { eventDtoOf } from './event-view.js';
import { EVENT_ERRORS } from './events.errors.js';
import { EventsService } from './events.service.js';

@ApiTags('Events')
@Controller({ path: 'events', version: '1' })
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'Follow what happens.',
    description:
      'What happened, oldest first: `GET /events?types=order.placed`. `X-Next-Cursor` is always there, also after an empty page: it is where ' +
      'to go on. Without a cursor the list begins with the oldest event that is kept; `cursor=latest` begins now. Events are kept for 30 days, ' +
      'unless the operator chose otherwise. Whoever follows gets each event exactly once. An empty page counts as a request too: a key of 1,000 a day ' +
      'can ask every 90 seconds; a webhook tells at once. Everybody sees `pet.*`; a key sees its own `order.*`, `key.*` and `webhook.*`; `manage` sees all orders, ' +
      '`admin` all keys and webhooks.',
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
  async listEvents(@Query() query: ListEventsQuery, @CurrentKey() key: CallerKey): Promise<Page<EventDto>> {
    const { types, limit = DEFAULT_PAGE_SIZE, cursor } = query;
    const page = await this.events.list(key, types, limit, cursor);
    return page.map((event) => eventDtoOf(event, key.access));
  }
}
