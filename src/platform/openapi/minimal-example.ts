/** A schema of the document, with what an example is made from. */
export interface Schema extends Record<string, unknown> {
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  minProperties?: number;
  items?: Schema;
  enum?: unknown[];
  example?: unknown;
}

/**
 * The smallest valid value of a schema: the required properties, or the first one where all are optional and one is needed. Values are
 * the schemas' own examples, else the first of an enumeration. `schemas`: the components, by name.
 * @throws Error for a required value without an example
 */
export function minimalExample(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const exampleOf = (each: Schema): unknown => minimalExample(each, schemas);
  if (schema.example !== undefined) return schema.example;
  const named = schemas[(schema.$ref ?? schema.allOf?.[0]?.$ref)?.split('/').at(-1) ?? ''];
  if (named) return exampleOf(named);
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [exampleOf(schema.items)];
  if (!schema.properties) throw new Error('a required field of a request body has no example');
  const names = schema.required ?? Object.keys(schema.properties).slice(0, schema.minProperties ?? 0);
  return Object.fromEntries(names.map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]));
}
