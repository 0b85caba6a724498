import { ApiProperty, ApiSchema, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import {
  BanEventDto,
  OrderEventDto,
  PetEventDto,
  QuotaEventDto,
  WebhookEventDto,
} from '../../events/dto/events.dto.js';
import { EVENT_TYPES, type EventType } from '../../events/event-types.js';
import { UUID_SCHEMA } from '../../platform/http/operations/schemas.js';

@ApiSchema({ name: 'TestedWebhook', description: 'A webhook that is tested.' })
export class TestedWebhookDto {
  @ApiProperty({ ...UUID_SCHEMA, description: 'Identifier of the key.' })
  keyId!: string;

  @ApiProperty({ ...UUID_SCHEMA, description: 'Identifier of the webhook.' })
  webhookId!: string;
}

@ApiSchema({ name: 'TestEvent', description: 'A test, which testWebhook sends. It is not in the feed.' })
export class TestEventDto {
  @ApiProperty({
    type: String,
    maxLength: 40,
    description: 'Identifier of the event.',
    example: 'evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34',
  })
  id!: string;

  @ApiProperty({
    type: String,
    enum: ['webhook.test'],
    description: 'What happened.',
    example: 'webhook.test',
  })
  type!: 'webhook.test';

  @ApiProperty({
    type: String,
    format: 'date-time',
    maxLength: 24,
    description: 'When (RFC 3339, UTC).',
    example: '2026-11-20T12:00:00.000Z',
  })
  timestamp!: Date;

  @ApiProperty({ type: TestedWebhookDto, description: 'The webhook.' })
  data!: TestedWebhookDto;
}

/** The schema of every event that is sent. */
const DTOS: Readonly<Record<EventType | 'webhook.test', new () => object>> = {
  'pet.created': PetEventDto,
  'pet.updated': PetEventDto,
  'pet.deleted': PetEventDto,
  'order.placed': OrderEventDto,
  'order.approved': OrderEventDto,
  'order.delivered': OrderEventDto,
  'order.cancelled': OrderEventDto,
  'order.expired': OrderEventDto,
  'key.quota_reached': QuotaEventDto,
  'key.banned': BanEventDto,
  'webhook.disabled': WebhookEventDto,
  'webhook.test': TestEventDto,
};

const header = (name: string, maxLength: number, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string', maxLength },
});

const HEADERS = [
  header('webhook-id', 40, 'The id of the event: a receiver that has seen it ignores the message.'),
  header('webhook-timestamp', 12, 'When the attempt was made, in seconds since the epoch.'),
  header(
    'webhook-signature',
    256,
    'Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks).',
  ),
];

/** What the document says of the messages that receivers get. */
export const SENT_EVENTS = Object.fromEntries(
  [...EVENT_TYPES, 'webhook.test' as const].map((type) => [
    type,
    {
      post: {
        operationId: `on_${type.replace('.', '_')}`,
        summary: `The event ${type}.`,
        description: 'Sent to the address of a webhook until it answers 2xx.',
        tags: ['Events'],
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: getSchemaPath(DTOS[type]) } } },
        },
        responses: {
          '2XX': { description: 'Received: the next event follows.' },
          410: { description: 'Gone: the webhook is disabled.' },
          default: { description: 'Not received: the event is sent again.' },
        },
      },
    },
  ]),
) as NonNullable<OpenAPIObject['webhooks']>;
