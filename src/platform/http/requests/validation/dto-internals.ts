import type { Type } from '@nestjs/common';

/**
 * Whether the document lets a field be null. @nestjs/swagger 12 keeps what `@ApiProperty()` says, also in mapped types, and exports no way
 * to read it.
 */
export function isNullable(dto: Type<object>, field: string): boolean {
  const documented: unknown = Reflect.getMetadata(
    'swagger/apiModelProperties',
    dto.prototype as object,
    field,
  );
  return (documented as { nullable?: boolean } | undefined)?.nullable === true;
}

/** The class of a field's type, as TypeScript notes it for a decorated field; mapped types keep it. */
export const typeOf = (dto: Type<object>, field: string): unknown =>
  Reflect.getMetadata('design:type', dto.prototype as object, field);
