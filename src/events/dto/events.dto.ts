import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { PetDto } from '../../pets/dto/pets.dto.js';
import { ApiInt64, UUID_SCHEMA } from '../../platform/http/operations/schemas.js';
import { QueryCursor, QueryLimit, QueryListOf } from '../../platform/http/requests/validation/rules.js';
import { OrderDto } from '../../store/dto/store.dto.js';
import { EVENT_TYPES, type EventType } from '../event-types.js';

export const MAX_TYPES = 20;

export class ListEventsQuery {
  @IsOptional()
  @QueryListOf(EVENT_TYPES, MAX_TYPES)
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: EVENT_TYPES },
    minItems: 1,
    maxItems: MAX_TYPES,
    description:
      'Only events of these types, separated by commas: `order.placed,order.expired`. The form `types=a&types=b` is accepted too. ' +
      'The types may change between pages.',
  })
  types?: EventType[];

  @QueryLimit('events')
  limit?: number;

  @QueryCursor('Where to go on: the unchanged X-Next-Cursor of the page before, or `latest`: now.')
  cursor?: string;
}

const ACTOR =
  'Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.';

/** What every event has. */
abstract class EventBase {
  @ApiProperty({
    type: String,
    pattern: '^evt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    maxLength: 40,
    description: 'Identifier of the event: `evt_` and a UUIDv7.',
    example: 'evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34',
  })
  id!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    maxLength: 24,
    description: 'When the change was made (RFC 3339, UTC).',
    example: '2026-11-20T12:00:00.000Z',
  })
  timestamp!: Date;

  @ApiPropertyOptional({ type: String, maxLength: 36, description: ACTOR, example: 'command' })
  actor?: string;
}

const type = (...types: EventType[]) =>
  ApiProperty({ type: String, enum: types, description: 'What happened.', example: types[0] });

@ApiSchema({ name: 'PetEvent', description: 'An animal was added, changed or removed.' })
export class PetEventDto extends EventBase {
  @type('pet.created', 'pet.updated', 'pet.deleted')
  type!: EventType;

  @ApiProperty({ type: PetDto, description: 'The animal after the change; before its removal.' })
  data!: PetDto;
}

@ApiSchema({ name: 'OrderEvent', description: 'An order was placed or changed its status.' })
export class OrderEventDto extends EventBase {
  @type('order.placed', 'order.approved', 'order.delivered', 'order.cancelled', 'order.expired')
  type!: EventType;

  @ApiProperty({ type: OrderDto, description: 'The order after the change.' })
  data!: OrderDto;
}

const ApiKeyId = () => ApiProperty({ ...UUID_SCHEMA, description: 'Identifier of the key.' });

@ApiSchema({ name: 'QuotaReached', description: 'How much of a day a key has used.' })
export class QuotaReachedDto {
  @ApiKeyId()
  keyId!: string;

  @ApiProperty({
    type: String,
    format: 'date',
    maxLength: 10,
    description: 'The UTC day.',
    example: '2026-11-20',
  })
  date!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: [80, 100],
    minimum: 80,
    maximum: 100,
    description: 'How much of the limit is used, in percent.',
    example: 80,
  })
  percent!: number;

  @ApiInt64('Requests a day.', 1_000, { minimum: 1 })
  limit!: bigint;

  @ApiInt64('Requests that were admitted.', 800, { minimum: 0 })
  used!: bigint;
}

@ApiSchema({ name: 'QuotaEvent', description: 'A key has used 80 or 100 % of its requests of the UTC day.' })
export class QuotaEventDto extends EventBase {
  @type('key.quota_reached')
  type!: EventType;

  @ApiProperty({ type: QuotaReachedDto, description: 'How much is used.' })
  data!: QuotaReachedDto;
}

@ApiSchema({ name: 'KeyBan', description: 'The ban of a key.' })
export class KeyBanDto {
  @ApiKeyId()
  keyId!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    maxLength: 24,
    description: 'When the ban ends (RFC 3339, UTC).',
    example: '2026-11-20T12:10:00.000Z',
  })
  until!: string;
}

@ApiSchema({ name: 'BanEvent', description: 'A key was banned for calling on after many refusals.' })
export class BanEventDto extends EventBase {
  @type('key.banned')
  type!: EventType;

  @ApiProperty({ type: KeyBanDto, description: 'The ban.' })
  data!: KeyBanDto;
}

/** Why a webhook gets no events. */
export const DISABLED_REASONS = ['gone', 'failing', 'key', 'caller'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

@ApiSchema({ name: 'DisabledWebhook', description: 'A webhook that gets no more events.' })
export class DisabledWebhookDto {
  @ApiKeyId()
  keyId!: string;

  @ApiProperty({ ...UUID_SCHEMA, description: 'Identifier of the webhook.' })
  webhookId!: string;

  @ApiProperty({
    type: String,
    enum: DISABLED_REASONS,
    description:
      'Why: its endpoint answered 410, it failed for five days, its key lost the right to it, or a caller has disabled it.',
    example: 'failing',
  })
  reason!: DisabledReason;
}

@ApiSchema({ name: 'WebhookEvent', description: 'A webhook was disabled.' })
export class WebhookEventDto extends EventBase {
  @type('webhook.disabled')
  type!: EventType;

  @ApiProperty({ type: DisabledWebhookDto, description: 'The webhook.' })
  data!: DisabledWebhookDto;
}

/** Each kind of event, for the document. */
export const EVENT_DTOS = [PetEventDto, OrderEventDto, QuotaEventDto, BanEventDto, WebhookEventDto];
export type EventDto = PetEventDto | OrderEventDto | QuotaEventDto | BanEventDto | WebhookEventDto;
