import { getMetadataArgsStorage } from 'typeorm';

/** The columns of an entity for a named statement, aliased to its properties: rows then have the shape of the entity. */
export function columnsOf(entity: new () => object): string {
  return getMetadataArgsStorage()
    .columns.filter(({ target }) => target === entity)
    .map(({ propertyName, options: { name = propertyName } }) =>
      name === propertyName ? name : `${name} as "${propertyName}"`,
    )
    .join(', ');
}
