import { getMetadataArgsStorage } from 'typeorm';

/** A statement of a hot route. It has a name, so that the server parses and plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
  /** It changes nothing and locks nothing, so it may share a connection and run twice. */
  isRead?: true;
}

/** The columns of an entity for a named statement, aliased to its properties: rows then have the shape of the entity. */
export function columnsOf(entity: new () => object): string {
  return getMetadataArgsStorage()
    .columns.filter(({ target }) => target === entity)
    .map(({ propertyName, options: { name = propertyName } }) =>
      name === propertyName ? name : `${name} as "${propertyName}"`,
    )
    .join(', ');
}
