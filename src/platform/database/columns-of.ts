import { getMetadataArgsStorage } from 'typeorm';

export interface EntityColumn {
  property: string;
  /** The name in the database. */
  name: string;
  type: string;
}

/** The columns of an entity in the order of its declarations. */
export function entityColumns(entity: new () => object): EntityColumn[] {
  return getMetadataArgsStorage()
    .columns.filter(({ target }) => target === entity)
    .map(({ propertyName: property, options: { name = property, type } }) => ({
      property,
      name,
      type: String(type),
    }));
}

/** The columns of an entity for a named statement, aliased to its properties: rows then have the shape of the entity. */
export function columnsOf(entity: new () => object): string {
  return entityColumns(entity)
    .map(({ property, name }) => (name === property ? name : `${name} as "${property}"`))
    .join(', ');
}
