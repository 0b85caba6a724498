import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ACCESS_LEVELS, type Access } from '../../auth/access.js';
import type { SortOrder } from '../../platform/common/paging.js';
import { ApiInt64 } from '../../platform/http/operations/schemas.js';
import {
  IsName,
  QueryCursor,
  QueryLimit,
  QueryOrder,
} from '../../platform/http/requests/validation/rules.js';
import { MAX_PLAN_LIMIT, PLAN_NAMES, type Plan } from '../../auth/plans.js';
import { KEY_STATES, type KeyEvent, type KeyState } from '../../auth/keys/api-key.js';
import { KEY_EVENT_KINDS, type KeyEventChanges, type KeyEventKind } from '../../auth/keys/key-event-kinds.js';
import { IsPrintable } from '../key-rules.js';
import {
  ACCESS,
  NAME,
  PLAN,
  REFERENCE,
  STATE,
  STATE_SCHEMA,
  textProperty,
  timeProperty,
} from './keys.dto.js';

export class ListKeysQuery {
  @QueryLimit('keys')
  limit?: number;

  @IsOptional()
  @IsIn(PLAN_NAMES)
  @ApiPropertyOptional({ ...PLAN, description: 'Filters by plan.' })
  plan?: Plan;

  @IsOptional()
  @IsIn(ACCESS_LEVELS)
  @ApiPropertyOptional({ ...ACCESS, description: 'Filters by access: exactly this one.' })
  access?: Access;

  @IsOptional()
  @IsIn(KEY_STATES)
  @ApiPropertyOptional({ ...STATE, ...STATE_SCHEMA, description: 'Filters by state.' })
  state?: KeyState;

  @IsOptional()
  @IsName()
  @ApiPropertyOptional(
    textProperty(
      255,
      'Searches: a part of the name or the reference, whatever the case, or how a secret begins (`ask_003aUlTJ`).',
      'palace',
    ),
  )
  q?: string;

  @IsOptional()
  @IsPrintable()
  @ApiPropertyOptional({ ...REFERENCE, nullable: false, description: 'Filters by reference.' })
  reference?: string;

  @IsOptional()
  @IsIn(['true', 'false'])
  @ApiPropertyOptional({
    type: 'boolean',
    description: 'Filters by whether the key has called a deprecated operation in the last 30 days.',
  })
  usesDeprecated?: 'true' | 'false';

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

export class ListKeyEventsQuery {
  @QueryLimit('events')
  limit?: number;

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

@ApiSchema({ name: 'KeyEvent', description: 'Something that was done to a key.' })
export class KeyEventDto {
  @ApiInt64('Identifier of the event.', 7)
  id!: bigint;

  @ApiProperty({ type: String, enum: KEY_EVENT_KINDS, description: 'What was done.', example: 'updated' })
  kind!: KeyEventKind;

  @ApiProperty(textProperty(36, 'Who did it: the id of a key, `command` or `service`.', 'command'))
  actor!: string;

  @ApiProperty({
    ...NAME,
    nullable: true,
    description: 'The name that this key has now; null for `command` and `service`.',
    example: null,
  })
  actorName!: string | null;

  @ApiProperty(timeProperty('When it was done.', '2026-11-20T12:00:00.000Z'))
  at!: Date;

  @ApiProperty({
    type: 'object',
    description: 'Each changed field with its values before and after; never a secret.',
    additionalProperties: {
      type: 'object',
      required: ['before', 'after'],
      properties: Object.fromEntries(
        ['before', 'after'].map((when) => [
          when,
          {
            oneOf: [
              { type: 'string', maxLength: 255 },
              { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_PLAN_LIMIT },
            ],
            nullable: true,
          },
        ]),
      ),
    },
    example: { plan: { before: 'free', after: 'pro' } },
  })
  changes!: KeyEventChanges;

  static from({ id, kind, actor, at, changes }: KeyEvent, actorName: string | null): KeyEventDto {
    return { id, kind, actor, actorName, at, changes };
  }
}
