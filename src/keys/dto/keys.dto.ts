import {
  ApiProperty,
  type ApiPropertyOptions,
  ApiPropertyOptional,
  ApiSchema,
  OmitType,
  PartialType,
} from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ACCESS_LEVELS, type Access } from '../../auth/access.js';
import { stringifyJson } from '../../platform/common/json.js';
import { NoBody } from '../../platform/http/requests/validation/rules.js';
import { ENTITY_TAG, entityTagOf } from '../../platform/http/responses/etag.js';
import { limitsOf, MAX_PLAN_LIMIT, PLAN_NAMES, type Plan } from '../../auth/plans.js';
import {
  type ApiKey,
  DEFAULT_ACCESS,
  DEFAULT_OVERLAP_SECONDS,
  KEY_STATES,
  MAX_OVERLAP_SECONDS,
  keyStateOf,
  type KeyState,
} from '../../auth/keys/api-key.js';
import {
  IsFutureTime,
  IsOverlap,
  IsPlan,
  IsPlanLimit,
  IsPrintable,
  TEXT_MAX_CHARACTERS,
} from '../key-rules.js';

export const textProperty = (maxLength: number, description: string, example: string) =>
  ({ type: String, minLength: 1, maxLength, description, example }) satisfies ApiPropertyOptions;
export const timeProperty = (description: string, example: string | null) =>
  ({ type: String, format: 'date-time', maxLength: 35, description, example }) satisfies ApiPropertyOptions;
const limit = (description: string) =>
  ({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_PLAN_LIMIT,
    description,
  }) satisfies ApiPropertyOptions;

export const NAME = textProperty(TEXT_MAX_CHARACTERS, 'Whose key it is: printable characters.', 'price feed');
export const REFERENCE = {
  ...textProperty(TEXT_MAX_CHARACTERS, "The operator's own id of the holder.", 'crm-4711'),
  nullable: true,
};
export const PLAN = { enum: PLAN_NAMES, enumName: 'Plan', description: 'The plan, which has the limits.' };
const PLAN_SCHEMA = {
  enumSchema: { description: 'A set of limits; those of enterprise are set on the key.' },
};
export const ACCESS = { enum: ACCESS_LEVELS, enumName: 'Access' };
const ACCESS_SCHEMA = {
  enumSchema: {
    description:
      'What a key may do. Each step includes those before it: `read` the catalogue and own limits, `order` animals, `manage` the store, ' +
      'administer (`admin`) keys.',
  },
};
export const STATE = { enum: KEY_STATES, enumName: 'KeyState' };
export const STATE_SCHEMA = { enumSchema: { description: 'Whether a key works.' } };
const EXPIRY = {
  ...timeProperty('When the key ends (RFC 3339); null: never.', '2027-11-20T12:00:00.000Z'),
  nullable: true,
};
const LIMIT_OF_ENTERPRISE = ', exactly with the plan enterprise.';

@ApiSchema({ name: 'NewKey', description: 'A key to issue.' })
export class NewKeyDto {
  @IsPrintable()
  @ApiProperty(NAME)
  name!: string;

  @IsPlan()
  @ApiProperty({ ...PLAN, ...PLAN_SCHEMA })
  plan!: Plan;

  @IsOptional()
  @IsPlanLimit()
  @ApiPropertyOptional(limit(`Requests per minute${LIMIT_OF_ENTERPRISE}`))
  perMinute?: bigint;

  @IsOptional()
  @IsPlanLimit()
  @ApiPropertyOptional(limit(`Requests per UTC day${LIMIT_OF_ENTERPRISE}`))
  perDay?: bigint;

  @IsOptional()
  @IsIn(ACCESS_LEVELS)
  @ApiPropertyOptional({
    ...ACCESS,
    ...ACCESS_SCHEMA,
    default: DEFAULT_ACCESS,
    description: 'What the key may do. `admin` keys are issued by the command line only.',
  })
  access?: Access;

  @IsOptional()
  @IsFutureTime()
  @ApiPropertyOptional(EXPIRY)
  expiresAt?: string | null;

  @IsOptional()
  @IsPrintable(', or null')
  @ApiPropertyOptional(REFERENCE)
  reference?: string | null;
}

@ApiSchema({ name: 'KeyUpdate', description: 'Changes to a key: at least one field.' })
export class KeyUpdateDto extends PartialType(OmitType(NewKeyDto, ['access'])) {
  /** Without a default: an absent access stays as it is. */
  @IsOptional()
  @IsIn(ACCESS_LEVELS)
  @ApiPropertyOptional({ ...ACCESS, description: 'What the key may do; not `admin`.' })
  access?: Access;
}

@ApiSchema({ name: 'KeyRotation', description: 'How a key is rotated.' })
export class KeyRotationDto extends NoBody {
  @IsOptional()
  @IsOverlap()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    description: 'How long the current secret still works; 0 ends it at once.',
  })
  overlapSeconds?: bigint;
}

const withoutUseAndSecret = ({ lastUsedAt: _, key: __, ...state }: KeyDto & { key?: string }) => state;

@ApiSchema({ name: 'Key', description: 'An API key without its secret.' })
export class KeyDto {
  @ApiProperty({ type: String, format: 'uuid', maxLength: 36, description: 'Identifier of the key.' })
  id!: string;

  @ApiProperty(NAME)
  name!: string;

  @ApiProperty(REFERENCE)
  reference!: string | null;

  @ApiProperty(PLAN)
  plan!: Plan;

  @ApiProperty({ ...limit('Requests per minute.'), nullable: true })
  perMinute!: number | null;

  @ApiProperty({ ...limit('Requests per UTC day.'), nullable: true })
  perDay!: number | null;

  @ApiProperty({ ...ACCESS, description: 'What the key may do.' })
  access!: Access;

  @ApiProperty({
    ...STATE,
    description: 'revoked, else expired, else banned, else active: a key in any other state is refused.',
  })
  state!: KeyState;

  @ApiProperty({ ...textProperty(12, 'How the secret begins, to recognise it.', 'ask_003aUlTJ') })
  prefix!: string;

  @ApiProperty(timeProperty('When the key was issued.', '2026-11-20T12:00:00.000Z'))
  createdAt!: Date;

  @ApiProperty(EXPIRY)
  expiresAt!: Date | null;

  @ApiProperty({ ...timeProperty('When the key was revoked, or null.', null), nullable: true })
  revokedAt!: Date | null;

  @ApiProperty({
    ...timeProperty('The newest request of the key, at most 10 s behind, or null.', null),
    nullable: true,
  })
  lastUsedAt!: Date | null;

  @ApiProperty({ ...timeProperty('The end of a ban in force, or null.', null), nullable: true })
  bannedUntil!: Date | null;

  /** The key as it is at this moment. A row that breaks the rules, as with a plan of a later release, has no limits. */
  static from(key: ApiKey, lastUsedAt: Date | null, nowMs: number): KeyDto {
    const { id, name, reference, plan, access, prefix, createdAt, expiresAt, revokedAt, bannedUntil } = key;
    const { perMinute = null, perDay = null } = limitsOf(key) ?? {};
    return Object.assign(new KeyDto(), {
      ...{ id, name, reference, plan, perMinute, perDay, access, state: keyStateOf(key, nowMs), prefix },
      ...{ createdAt, expiresAt, revokedAt, lastUsedAt },
      bannedUntil: bannedUntil && bannedUntil.getTime() > nowMs ? bannedUntil : null,
    });
  }

  /** Of everything but the last use, which every request changes, and a secret, which is shown once. */
  [ENTITY_TAG](): string {
    return entityTagOf(stringifyJson(withoutUseAndSecret(this)), this.lastUsedAt?.getTime().toString(36));
  }
}

@ApiSchema({ name: 'IssuedKey', description: 'An API key with its secret, which is shown this once.' })
export class IssuedKeyDto extends KeyDto {
  @ApiProperty({
    ...textProperty(53, 'The secret: store it now.', 'ask_00000000000000000000000000000000000000000002CZclj'),
    pattern: '^ask_[0-9A-Za-z]{49}$',
  })
  key!: string;
}
