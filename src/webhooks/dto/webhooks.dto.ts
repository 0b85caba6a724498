import { hash } from 'node:crypto';
import {
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  ApiSchema,
  IntersectionType,
  PartialType,
} from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { SortOrder } from '../../platform/common/paging.js';
import { stringifyJson } from '../../platform/common/json.js';
import { ApiInt64, UUID_SCHEMA } from '../../platform/http/operations/schemas.js';
import { QueryCursor, QueryLimit, QueryOrder, Rule } from '../../platform/http/requests/validation/rules.js';
import { ENTITY_TAG, entityTagOf } from '../../platform/http/responses/etag.js';
import { DISABLED_REASONS, type DisabledReason, MAX_TYPES } from '../../events/dto/events.dto.js';
import { EVENT_TYPES, type EventType } from '../../events/event-types.js';
import { encodeEventCursor } from '../../events/feed/event-cursor.js';
import { ATTEMPT_ERRORS, type AttemptError, type Outcome } from '../sending/outcome.js';
import { WEBHOOK_STATUSES, type WebhookEntity, type WebhookStatus } from '../webhook.entity.js';
import { isWebhookUrl, MAX_URL_CHARACTERS } from '../webhook-url.js';

/** The most events that `waiting` counts. */
export const MAX_WAITING = 10_000;

const time = (description: string, example: string | null = null) =>
  ({
    type: String,
    format: 'date-time',
    maxLength: 24,
    description,
    example,
    ...(example === null && { nullable: true }),
  }) satisfies ApiPropertyOptions;

const URL_SCHEMA = {
  type: String,
  format: 'uri',
  maxLength: MAX_URL_CHARACTERS,
  description:
    'Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.',
  example: 'https://partner.example/hooks/animals',
} satisfies ApiPropertyOptions;

const TYPES_SCHEMA = {
  type: 'array',
  items: { type: 'string', enum: EVENT_TYPES },
  minItems: 1,
  maxItems: MAX_TYPES,
  uniqueItems: true,
  nullable: true,
  description: 'Only events of these types are sent; null: all that the key sees.',
  example: ['order.approved', 'order.expired'],
} satisfies ApiPropertyOptions;

const STATUS = { enum: WEBHOOK_STATUSES, enumName: 'WebhookStatus' };

const areTypes = (value: unknown) =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= MAX_TYPES &&
  new Set(value).size === value.length &&
  value.every((type) => EVENT_TYPES.includes(type as EventType));

export class ListWebhooksQuery {
  @QueryLimit('webhooks')
  limit?: number;

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

@ApiSchema({ name: 'NewWebhook', description: 'A webhook to create.' })
export class NewWebhookDto {
  @Rule(
    `an https URL of at most ${MAX_URL_CHARACTERS} characters without user, password and fragment`,
    isWebhookUrl,
  )
  @ApiProperty(URL_SCHEMA)
  url!: string;

  @IsOptional()
  @Rule(`null, or an array of 1 to ${MAX_TYPES} different ones of ${EVENT_TYPES.join(', ')}`, areTypes)
  @ApiPropertyOptional(TYPES_SCHEMA)
  types?: EventType[] | null;
}

class WebhookMoveDto {
  @IsOptional()
  @IsIn(WEBHOOK_STATUSES)
  @ApiPropertyOptional({
    ...STATUS,
    description:
      '`active` goes on at its place and tries again at once; what its key has stopped goes on with the key only. `disabled` sends nothing.',
  })
  status?: WebhookStatus;

  @IsOptional()
  @IsString()
  @ApiPropertyOptional({
    type: String,
    maxLength: 256,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'Goes on after this cursor of listEvents; `latest`: with what happens from now on.',
    example: 'latest',
  })
  cursor?: string;
}

@ApiSchema({ name: 'WebhookUpdate', description: 'Changes to a webhook: at least one field.' })
export class WebhookUpdateDto extends IntersectionType(PartialType(NewWebhookDto), WebhookMoveDto) {}

const withoutSecret = ({ secret: _, ...state }: WebhookDto & { secret?: string }) => state;

@ApiSchema({ name: 'Webhook', description: 'A place in the feed of events and an address.' })
export class WebhookDto {
  @ApiProperty({ ...UUID_SCHEMA, description: 'Identifier of the webhook.' })
  id!: string;

  @ApiProperty({ ...UUID_SCHEMA, description: 'The key whose webhook it is.' })
  keyId!: string;

  @ApiProperty(URL_SCHEMA)
  url!: string;

  @ApiProperty(TYPES_SCHEMA)
  types!: EventType[] | null;

  @ApiProperty({
    ...STATUS,
    enumSchema: { description: 'Whether events are sent.' },
    description: 'Whether events are sent. None is lost while it is disabled, as long as events are kept.',
  })
  status!: WebhookStatus;

  @ApiProperty({
    type: String,
    enum: [...DISABLED_REASONS, null],
    nullable: true,
    description:
      'Why it is disabled: its endpoint answered 410 (`gone`), it failed for five days (`failing`), its key is revoked, has expired or lost ' +
      'its access (`key`, which ends with that), or a caller has done it (`caller`).',
    example: null,
  })
  disabledReason!: DisabledReason | null;

  @ApiProperty({
    type: String,
    maxLength: 256,
    pattern: '^[A-Za-z0-9_-]+$',
    description:
      'Its place: a cursor of listEvents after the last event that was delivered or did not match.',
    example: 'AQAAAAAAAAAqR3xJPaXzcT8',
  })
  cursor!: string;

  @ApiProperty({
    description: 'Whether events were removed from the feed before this webhook got them.',
    example: false,
  })
  missed!: boolean;

  @ApiProperty(time('When the last attempt was made; null: none was.'))
  lastAttemptAt!: Date | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 100,
    maximum: 999,
    nullable: true,
    description: 'The HTTP status of the answer to the last attempt; null: no answer came.',
    example: 204,
  })
  lastStatus!: number | null;

  @ApiProperty({
    type: String,
    enum: [...ATTEMPT_ERRORS, null],
    nullable: true,
    description: 'Why no answer came to the last attempt, or null.',
    example: null,
  })
  lastError!: AttemptError | null;

  @ApiProperty(time('The first failure since the last success, or null.'))
  failingSince!: Date | null;

  @ApiProperty(time('When a failed event is sent again; null: nothing waits for a moment.'))
  nextAttemptAt!: Date | null;

  @ApiProperty(time('When it was created (RFC 3339, UTC).', '2026-11-20T12:00:00.000Z'))
  createdAt!: Date;

  static from(webhook: WebhookEntity): WebhookDto {
    const { id, keyId, url, types, status, disabledReason, missed, createdAt } = webhook;
    const { lastAttemptAt, lastStatus, lastError, failingSince, nextAttemptAt } = webhook;
    const cursor = encodeEventCursor({ position: webhook.position, bits: Number(webhook.positionBits) });
    return Object.assign(new WebhookDto(), {
      ...{ id, keyId, url, types, status, disabledReason, cursor, missed },
      ...{ lastAttemptAt, lastStatus, lastError, failingSince, nextAttemptAt, createdAt },
    });
  }

  /** Of what callers change, without what deliveries change and a secret, which is shown once. */
  [ENTITY_TAG](): string {
    const { id, url, types, status, disabledReason, ...moving } = withoutSecret(this);
    const incidental = hash('sha1', stringifyJson(moving), 'base64url');
    return entityTagOf(stringifyJson({ id, url, types, status, disabledReason }), incidental);
  }
}

@ApiSchema({ name: 'WebhookState', description: 'A webhook and what waits for it.' })
export class WebhookStateDto extends WebhookDto {
  @ApiInt64(
    `The events that wait to be delivered, counted up to ${MAX_WAITING.toLocaleString('en-US')} among the changes that follow.`,
    3,
    { minimum: 0 },
  )
  waiting!: bigint;

  static fromCounted(webhook: WebhookEntity, waiting: number): WebhookStateDto {
    return Object.assign(new WebhookStateDto(), WebhookDto.from(webhook), { waiting: BigInt(waiting) });
  }
}

@ApiSchema({ name: 'IssuedWebhook', description: 'A webhook with its secret, which is shown this once.' })
export class IssuedWebhookDto extends WebhookDto {
  @ApiProperty({
    type: String,
    maxLength: 64,
    pattern: '^whsec_[A-Za-z0-9+/]{32}$',
    description: 'The secret that signs deliveries: store it now.',
    example: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  })
  secret!: string;

  static fromIssued({ webhook, secret }: { webhook: WebhookEntity; secret: string }): IssuedWebhookDto {
    return Object.assign(new IssuedWebhookDto(), WebhookDto.from(webhook), { secret });
  }
}

@ApiSchema({ name: 'WebhookTest', description: 'What came back from an endpoint.' })
export class WebhookTestDto {
  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 100,
    maximum: 999,
    nullable: true,
    description: 'The HTTP status of the answer; null: no answer came.',
    example: 204,
  })
  status!: number | null;

  @ApiProperty({
    type: String,
    enum: [...ATTEMPT_ERRORS, null],
    nullable: true,
    description: 'Why no answer came, or null.',
    example: null,
  })
  error!: AttemptError | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 60_000,
    description: 'How long it took.',
    example: 87,
  })
  durationMs!: number;

  static from({ status, error, durationMs }: Outcome): WebhookTestDto {
    return { status, error, durationMs };
  }
}
