'use strict';

{
  /**
   * Resolves references by itself: all are local to the document. Swagger UI reads the whole document again for each operation that is
   * unfolded, which costs three quarters of a second.
   */
  const LocalReferences = () => ({
    fn: {
      resolveSubtree: async (document, path) => ({
        spec: resolved(document, valueAt(document, path), []),
        errors: [],
      }),
    },
  });

  const valueAt = (document, names) => names.reduce((value, name) => value?.[name], document);

  /** `$$ref` is where Swagger UI finds the name of a schema. A reference within itself stays. */
  function resolved(document, value, within) {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => resolved(document, item, within));
    const { $ref, ...rest } = value;
    const own = Object.entries(rest).map(([name, member]) => [name, resolved(document, member, within)]);
    if (typeof $ref !== 'string' || within.includes($ref)) return { ...value, ...Object.fromEntries(own) };
    const target = resolved(document, valueAt(document, $ref.split('/').slice(1)), [...within, $ref]);
    return { ...target, ...Object.fromEntries(own), $$ref: $ref };
  }

  (window.storePlugins ??= []).push(LocalReferences);
}
