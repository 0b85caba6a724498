import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';

/** Documents an int64 property, whose TypeScript type `bigint` Nest does not know. */
export const ApiInt64 = (description: string, example: number, bounds: { minimum?: number } = {}) =>
  ApiProperty({ type: 'integer', format: 'int64', ...bounds, description, example });

/** The named schema of a bare array, because Nest documents classes only. */
export const arraySchema = (
  name: string,
  description: string,
  item: Type,
  bounds: { minItems?: number; maxItems: number },
) => ({
  name,
  schema: { type: 'array' as const, description, items: { $ref: getSchemaPath(item) }, ...bounds },
  reference: { $ref: `#/components/schemas/${name}` },
});
