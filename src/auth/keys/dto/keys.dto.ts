import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { ACCESS_LEVELS, type Access } from '../../../platform/common/access.js';
import { NoBody, Optional, Rule } from '../../../platform/http/requests/validation/rules.js';
import { MAX_PLAN_LIMIT, PLAN_NAMES, type Plan } from '../../plans.js';
import { KEY_STATES, type ApiKey, type KeyState } from '../api-key.js';
import {
  DEFAULT_ACCESS,
  DEFAULT_OVERLAP_SECONDS,
  KEY_RULES,
  type KeyFields,
  MAX_OVERLAP_SECONDS,
  NAME_MAX_CHARACTERS,
  OVERLAP_RULE,
  REFERENCE_MAX_CHARACTERS,
} from '../key-rules.js';

/** The rule of key-rules.ts for this field. */
const KeyField = (name: keyof KeyFields) => {
  const { expected, isValid } = KEY_RULES[name];
  const validate = (value: unknown, args?: ValidationArguments) => isValid(value, args?.object ?? {});
  return ValidateBy({ name: expected, validator: { validate, defaultMessage: () => expected } });
};
export const OptionalKeyField = (name: keyof KeyFields) => applyDecorators(Optional(), KeyField(name));

export const text = (maxLength: number, description: string, example: string) =>
  ({ type: String, minLength: 1, maxLength, description, example }) satisfies ApiPropertyOptions;
export const time = (description: string, example: string | null) =>
  ({ type: String, format: 'date-time', maxLength: 35, description, example }) satisfies ApiPropertyOptions;
const limit = (description: string) =>
  ({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_PLAN_LIMIT,
    description,
  }) satisfies ApiPropertyOptions;

export const NAME = text(NAME_MAX_CHARACTERS, 'Whose key it is: printable characters.', 'price feed');
export const REFERENCE = {
  ...text(REFERENCE_MAX_CHARACTERS, "The operator's own id of the holder.", 'crm-4711'),
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
  ...time('When the key ends (RFC 3339); null: never.', '2027-11-20T12:00:00.000Z'),
  nullable: true,
};
const LIMIT_OF_ENTERPRISE = ', exactly with the plan enterprise.';

@ApiSchema({ name: 'NewKey', description: 'A key to issue.' })
export class NewKeyDto {
  @KeyField('name')
  @ApiProperty(NAME)
  name!: string;

  @KeyField('plan')
  @ApiProperty({ ...PLAN, ...PLAN_SCHEMA })
  plan!: Plan;

  @OptionalKeyField('perMinute')
  @ApiPropertyOptional(limit(`Requests per minute${LIMIT_OF_ENTERPRISE}`))
  perMinute?: bigint;

  @OptionalKeyField('perDay')
  @ApiPropertyOptional(limit(`Requests per UTC day${LIMIT_OF_ENTERPRISE}`))
  perDay?: bigint;

  @OptionalKeyField('access')
  @ApiPropertyOptional({
    ...ACCESS,
    ...ACCESS_SCHEMA,
    default: DEFAULT_ACCESS,
    description: 'What the key may do. `admin` keys are issued by the command line only.',
  })
  access?: Access;

  @OptionalKeyField('expiresAt')
  @ApiPropertyOptional(EXPIRY)
  expiresAt?: string | null;

  @OptionalKeyField('reference')
  @ApiPropertyOptional(REFERENCE)
  reference?: string | null;
}

@ApiSchema({ name: 'KeyUpdate', description: 'Changes to a key: at least one field.' })
export class KeyUpdateDto {
  @OptionalKeyField('name')
  @ApiPropertyOptional(NAME)
  name?: string;

  @OptionalKeyField('reference')
  @ApiPropertyOptional(REFERENCE)
  reference?: string | null;

  @OptionalKeyField('access')
  @ApiPropertyOptional({ ...ACCESS, description: 'What the key may do; not `admin`.' })
  access?: Access;

  @OptionalKeyField('expiresAt')
  @ApiPropertyOptional(EXPIRY)
  expiresAt?: string | null;

  @OptionalKeyField('plan')
  @ApiPropertyOptional(PLAN)
  plan?: Plan;

  @OptionalKeyField('perMinute')
  @ApiPropertyOptional(limit(`Requests per minute${LIMIT_OF_ENTERPRISE}`))
  perMinute?: bigint;

  @OptionalKeyField('perDay')
  @ApiPropertyOptional(limit(`Requests per UTC day${LIMIT_OF_ENTERPRISE}`))
  perDay?: bigint;
}

@ApiSchema({ name: 'KeyRotation', description: 'How a key is rotated.' })
export class KeyRotationDto extends NoBody {
  @Optional()
  @Rule(OVERLAP_RULE.expected, (value) => OVERLAP_RULE.isValid(value, {}))
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

  @ApiProperty({ ...text(12, 'How the secret begins, to recognise it.', 'ask_003aUlTJ') })
  prefix!: string;

  @ApiProperty(time('When the key was issued.', '2026-11-20T12:00:00.000Z'))
  createdAt!: Date;

  @ApiProperty(EXPIRY)
  expiresAt!: Date | null;

  @ApiProperty({ ...time('When the key was revoked, or null.', null), nullable: true })
  revokedAt!: Date | null;

  @ApiProperty({
    ...time('The newest request of the key, at most 10 s behind, or null.', null),
    nullable: true,
  })
  lastUsedAt!: Date | null;

  @ApiProperty({ ...time('The end of a ban in force, or null.', null), nullable: true })
  bannedUntil!: Date | null;

  static of(key: ApiKey): KeyDto {
    return { ...key };
  }
}

@ApiSchema({ name: 'IssuedKey', description: 'An API key with its secret, which is shown this once.' })
export class IssuedKeyDto extends KeyDto {
  @ApiProperty({
    ...text(53, 'The secret: store it now.', 'ask_00000000000000000000000000000000000000000002CZclj'),
    pattern: '^ask_[0-9A-Za-z]{49}$',
  })
  key!: string;
}
