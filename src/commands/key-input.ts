import { ListKeysQuery } from '../keys/dto/key-lists.dto.js';
import { KeyUpdateDto, NewKeyDto } from '../keys/dto/keys.dto.js';
import { validBody, validQuery, type Query } from '../platform/http/requests/validation/validate.js';

/*
 * The options of commands as the DTOs of HTTP, checked by the same rules. Commands load this file when they run, because it loads Nest.
 */

/** A date has no later moment. */
const LATEST_MS = 8_640_000_000_000_000;

/** The options of a key, as commander gives them. */
export interface KeyOptions {
  name?: string;
  plan?: string;
  access?: string;
  reference?: string;
  perMinute?: number;
  perDay?: number;
}

/** `expiresInMs`: from now; undefined: never. @throws ApiError `invalid_body` */
export const newKeyOf = (options: KeyOptions, expiresInMs?: number) =>
  validBody(bodyOf(options, expiresInMs), NewKeyDto);

/** `expiresInMs`: from now; null: never; undefined: unchanged. @throws ApiError `invalid_body` */
export const keyUpdateOf = (options: KeyOptions, expiresInMs?: number | null) =>
  validBody(bodyOf(options, expiresInMs), KeyUpdateDto);

/** @throws ApiError `invalid_parameter` */
export const listQueryOf = (options: Query) => validQuery(options, ListKeysQuery);

/** The body that HTTP would have. */
function bodyOf({ perMinute, perDay, ...others }: KeyOptions, expiresInMs?: number | null): object {
  const expiresAt =
    typeof expiresInMs === 'number' ? new Date(Math.min(Date.now() + expiresInMs, LATEST_MS)) : expiresInMs;
  return {
    ...others,
    ...(perMinute !== undefined && { perMinute: BigInt(perMinute) }),
    ...(perDay !== undefined && { perDay: BigInt(perDay) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt?.toISOString() ?? null }),
  };
}
