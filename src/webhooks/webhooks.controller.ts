import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
} from '@nestjs/common';
import { ApiExtraModels, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { CurrentKey } from '../auth/caller.js';
import { Change } from '../auth/change.decorator.js';
import type { CallerKey } from '../auth/caller-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { EVENT_ERRORS } from '../events/events.errors.js';
import { GENERAL_ERRORS } from '../platform/common/errors/general.errors.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page } from '../platform/common/paging.js';
import { documentedBy, lastPipe } from '../platform/http/operations/documented-argument.js';
import { ApiArrayResponse, ApiErrors, UUID_SCHEMA } from '../platform/http/operations/schemas.js';
import { ApiNoBody, NoBody } from '../platform/http/requests/validation/rules.js';
import {
  IssuedWebhookDto,
  ListWebhooksQuery,
  NewWebhookDto,
  WebhookDto,
  WebhookStateDto,
  WebhookTestDto,
  WebhookUpdateDto,
} from './dto/webhooks.dto.js';
import { TestEventDto } from './dto/sent-events.js';
import { MAX_WEBHOOKS } from './webhook-bounds.js';
import { WEBHOOK_ERRORS, webhookNotFound } from './webhooks.errors.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import type { WebhookEntity } from './webhook.entity.js';
import { WebhooksService } from './webhooks.service.js';

const bounds = Object.entries(MAX_WEBHOOKS)
  .map(([plan, bound]) => `${String(bound)} (${plan})`)
  .join(', ');

const toId = lastPipe((text: string) => {
  if (!isUUID(text, 'loose')) throw webhookNotFound(text);
  return text.toLowerCase();
});

const WebhookId = () =>
  documentedBy(
    applyDecorators(
      ApiParam({
        name: 'webhookId',
        description: 'The identifier of the webhook.',
        schema: { type: 'string', maxLength: 36, example: UUID_SCHEMA.example },
      }),
      ApiErrors(WEBHOOK_ERRORS.webhook_not_found),
    ),
    Param('webhookId', toId),
  );

/** Sees a webhook before it changes, as its caller sees it. */
const checking = (check: Change['check']) => (webhook: WebhookEntity) => check(WebhookDto.from(webhook));

@ApiTags('Events')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly tests: WebhookTestsService,
  ) {}

  @Get()
  @Operation({
    id: 'listWebhooks',
    summary: 'List webhooks.',
    description:
      'Oldest first, or newest first with `order=desc`, in pages as those of listPets. With `admin` access: those of all keys; otherwise the ' +
      'own ones.',
    stability: 'beta',
    access: 'order',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(WebhookDto, {
    title: 'Webhooks',
    description: 'A page of webhooks.',
    maxItems: MAX_PAGE_SIZE,
  })
  async listWebhooks(
    @Query() query: ListWebhooksQuery,
    @CurrentKey() key: CallerKey,
  ): Promise<Page<WebhookDto>> {
    const { limit = DEFAULT_PAGE_SIZE, order, cursor } = query;
    const page = await this.webhooks.list(key, order, limit, cursor);
    return page.map((webhook) => WebhookDto.from(webhook));
  }

  @Post()
  @Operation({
    id: 'createWebhook',
    summary: 'Let events be sent to you.',
    description:
      'Sends the events that the key sees in listEvents, from now on, to this address: in order, one at a time, each until a 2xx ' +
      `(docs: webhooks). A key has at most ${bounds} webhooks, by its plan. The answer has the secret that signs deliveries: it is shown ` +
      'this once, so the operation takes no `Idempotency-Key`.',
    stability: 'beta',
    access: 'order',
    errors: [WEBHOOK_ERRORS.too_many_webhooks],
    creates: (webhook: IssuedWebhookDto) => `/webhooks/${webhook.id}`,
  })
  @ApiResponse({ status: 201, description: 'Webhook created.', type: IssuedWebhookDto })
  async createWebhook(
    @Body() body: NewWebhookDto,
    @Change('collection') { key, check }: Change,
  ): Promise<IssuedWebhookDto> {
    check();
    return IssuedWebhookDto.fromIssued(await this.webhooks.create(key, body));
  }

  @Get(':webhookId')
  @Operation({
    id: 'getWebhook',
    summary: 'Fetch a webhook.',
    description:
      'Its state, the last attempt, and how many events wait. Without `admin` access, a webhook of another key is not found.',
    stability: 'beta',
    access: 'order',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The webhook.', type: WebhookStateDto })
  async getWebhook(@WebhookId() id: string, @CurrentKey() key: CallerKey): Promise<WebhookStateDto> {
    const webhook = await this.webhooks.get(key, id);
    return WebhookStateDto.fromCounted(webhook, await this.webhooks.countWaiting(webhook));
  }

  @Patch(':webhookId')
  @Operation({
    id: 'updateWebhook',
    summary: 'Change a webhook.',
    description:
      'Changes any of address, types, status and place. `{"status": "active"}` goes on at its place and tries again at once. A `cursor` of ' +
      'listEvents that lies back sends events again, and one ahead skips some.',
    stability: 'beta',
    access: 'order',
    errors: [HTTP_ERRORS.invalid_cursor, EVENT_ERRORS.event_expired],
  })
  @ApiResponse({ status: 200, description: 'The changed webhook.', type: WebhookDto })
  async updateWebhook(
    @Body() body: WebhookUpdateDto,
    @WebhookId() id: string,
    @Change() { key, check }: Change,
  ): Promise<WebhookDto> {
    return WebhookDto.from(await this.webhooks.update(key, id, body, checking(check)));
  }

  @Delete(':webhookId')
  @HttpCode(204)
  @Operation({
    id: 'deleteWebhook',
    summary: 'Remove a webhook.',
    description:
      'Nothing is sent any more, and its place is forgotten. An attempt that is under way ends by itself.',
    stability: 'beta',
    access: 'order',
    errors: [],
  })
  @ApiResponse({ status: 204, description: 'The webhook is removed.' })
  deleteWebhook(
    @Body() _body: NoBody,
    @WebhookId() id: string,
    @Change() { key, check }: Change,
  ): Promise<void> {
    return this.webhooks.remove(key, id, checking(check));
  }

  @Post(':webhookId/rotate-secret')
  @HttpCode(200)
  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret.',
    description:
      'The answer has the new secret: it is shown this once, so the operation takes no `Idempotency-Key`. For 24 hours the new secret and the ' +
      'newest one so far both sign. The body is absent or an empty object.',
    stability: 'beta',
    access: 'order',
    errors: [],
  })
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The webhook with its new secret.', type: IssuedWebhookDto })
  async rotateWebhookSecret(
    @Body() _body: NoBody,
    @WebhookId() id: string,
    @Change() { key, check }: Change,
  ): Promise<IssuedWebhookDto> {
    return IssuedWebhookDto.fromIssued(await this.webhooks.rotateSecret(key, id, checking(check)));
  }

  @Post(':webhookId/test')
  @HttpCode(200)
  @Operation({
    id: 'testWebhook',
    summary: 'Send a test event.',
    description:
      'Sends one event `webhook.test` at once, also to a disabled webhook, and answers with what came back, at most 5 s later. One test of a ' +
      'webhook runs at a time. The body is absent or an empty object.',
    stability: 'beta',
    access: 'order',
    errors: [GENERAL_ERRORS.conflict],
    waitsForOthers: true,
  })
  @ApiNoBody()
  @ApiExtraModels(TestEventDto)
  @ApiResponse({ status: 200, description: 'What came back.', type: WebhookTestDto })
  async testWebhook(
    @Body() _body: NoBody,
    @WebhookId() id: string,
    @CurrentKey() key: CallerKey,
  ): Promise<WebhookTestDto> {
    return WebhookTestDto.from(await this.tests.test(key, id));
  }
}
