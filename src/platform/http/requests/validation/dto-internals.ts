import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';

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

/**
 * class-validator 0.15 collects and groups the rules of a class again for each object, which takes half of a check. With this it does so
 * once for a class, whose rules do not change after its definition.
 */
export function collectRulesOnce(): void {
  const storage = getMetadataStorage();
  const collect = storage.getTargetValidationMetadatas.bind(storage);
  const group = storage.groupByPropertyName.bind(storage);
  type Rules = ReturnType<typeof collect>;
  const rulesOf = new Map<unknown, Rules>();
  const groupsOf = new WeakMap<Rules, ReturnType<typeof group>>();
  storage.getTargetValidationMetadatas = (dto, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups) return collect(dto, schema, always, strictGroups, groups);
    const rules = rulesOf.get(dto) ?? collect(dto, schema, always, strictGroups);
    rulesOf.set(dto, rules);
    return rules;
  };
  storage.groupByPropertyName = (rules) => {
    const groups = groupsOf.get(rules) ?? group(rules);
    groupsOf.set(rules, groups);
    return groups;
  };
}
