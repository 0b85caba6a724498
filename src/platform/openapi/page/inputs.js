'use strict';

{
  /** Swagger UI looks for a separate input for every format and reports each that is missing. */
  const Int64Input = () => ({
    components: {
      JsonSchema_integer_int64: (props) =>
        window.ui.React.createElement(props.getComponent('JsonSchema_string'), props),
    },
  });

  /** Swagger UI sends an optional parameter's example or default as if the caller had entered it. Here it is a hint in an empty field. */
  const EmptyOptions = () => ({
    statePlugins: {
      spec: {
        wrapActions: {
          updateJsonSpec: (original) => (document) => {
            const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
            const inline = operations.flatMap(({ parameters = [] }) => parameters);
            for (const parameter of [...inline, ...Object.values(document.components.parameters)])
              empty(parameter);
            return original(document);
          },
        },
      },
    },
    wrapComponents: {
      JsonSchemaForm:
        (Original, { React }) =>
        (props) => {
          const hint = props.schema?.get?.('x-hint');
          return React.createElement(Original, hint === undefined ? props : { ...props, description: hint });
        },
    },
  });

  function empty({ required, schema }) {
    if (required || !schema) return;
    const { example, default: byDefault } = schema;
    if (example !== undefined) schema['x-hint'] = `for example ${example}`;
    if (byDefault !== undefined) schema['x-hint'] = `${byDefault} unless given`;
    delete schema.example;
    delete schema.default;
  }

  (window.storePlugins ??= []).push(Int64Input, EmptyOptions);
}
