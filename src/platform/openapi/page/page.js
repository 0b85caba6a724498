'use strict';

/** The usage page keeps the key under the same name: it is entered once for a tab, and gone when the tab closes. */
const KEY_ITEM = 'animal-store.key';
const SCHEME = 'apiKey';

/** Shows each operation's stability mark and the access it takes, which the document holds, next to its path. */
function StabilityBadge() {
  return {
    wrapComponents: {
      OperationSummaryPath: (Original, system) => (props) => {
        const { React } = system;
        // Read from the document itself, because an operation that is still folded is not resolved yet.
        const [path, method] = [props.operationProps.get('path'), props.operationProps.get('method')];
        const operation = system.specSelectors.specJson().getIn(['paths', path, method]);
        const stability = operation.get('x-stability');
        const access = operation.get('x-required-access');
        const sunset = operation.get('x-sunset');
        const badges = [];
        if (stability) badges.push([`stability stability-${stability}`, stability]);
        if (access) badges.push(['stability stability-access', access]);
        if (sunset) badges.push(['stability stability-until', `until ${sunset}`]);
        return React.createElement(
          React.Fragment,
          null,
          React.createElement(Original, props),
          ...badges.map(([className, text]) => React.createElement('span', { className, key: text }, text)),
        );
      },
    },
  };
}

/** Keeps the key for this tab only. Swagger UI's own `persistAuthorization` keeps it in the browser for good. */
function KeyOfThisTab() {
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          authorize: (original) => (credentials) => {
            const key = credentials[SCHEME]?.value;
            if (key) sessionStorage.setItem(KEY_ITEM, key);
            return original(credentials);
          },
          logout: (original) => (schemes) => {
            sessionStorage.removeItem(KEY_ITEM);
            return original(schemes);
          },
        },
      },
    },
  };
}

/** Folds what every response repeats: its headers, and the errors as one table by code. */
function FoldedResponses() {
  return {
    wrapComponents: {
      headers:
        (Original, { React }) =>
        (props) => {
          const count = props.headers?.size ?? 0;
          if (count === 0) return null;
          return React.createElement(
            'details',
            { className: 'folded' },
            React.createElement('summary', null, `${count} headers`),
            React.createElement(Original, props),
          );
        },
      responses:
        (Original, { React }) =>
        (props) => {
          const isError = (_response, status) => Number(status) >= 400;
          const errors = props.responses.filter(isError);
          return React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, { ...props, responses: props.responses.filterNot(isError) }),
            errors.size > 0 && React.createElement(ErrorTable, { React, errors }),
          );
        },
    },
  };
}

function ErrorTable({ React, errors }) {
  const rows = errors
    .entrySeq()
    .flatMap(([status, response]) =>
      (response.getIn(['content', 'application/json', 'examples']) ?? [])
        .entrySeq()
        .map(([code, example]) => [status, code, example.getIn(['value', 'message'])]),
    )
    .toArray();
  const cells = ([status, code, message]) => [
    status,
    React.createElement('a', { href: `docs/errors#${code}` }, React.createElement('code', null, code)),
    message,
  ];
  return React.createElement(
    'details',
    { className: 'folded errors' },
    React.createElement('summary', null, `${rows.length} errors`),
    React.createElement(
      'table',
      null,
      React.createElement(
        'thead',
        null,
        React.createElement(
          'tr',
          null,
          ['Status', 'Code', 'Message, for example'].map((title) =>
            React.createElement('th', { key: title }, title),
          ),
        ),
      ),
      React.createElement(
        'tbody',
        null,
        rows.map((row) =>
          React.createElement(
            'tr',
            { key: row[1] },
            cells(row).map((cell, index) => React.createElement('td', { key: index }, cell)),
          ),
        ),
      ),
    ),
  );
}

/** Swagger UI looks for a separate input for every format and reports each that is missing. */
function Int64Input() {
  return {
    components: {
      JsonSchema_integer_int64: (props) => {
        const Text = props.getComponent('JsonSchema_string');
        return window.ui.React.createElement(Text, props);
      },
    },
  };
}

// Release 1.0.0 and earlier kept the key here.
localStorage.removeItem('authorized');

window.ui = window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [StabilityBadge, KeyOfThisTab, FoldedResponses, Int64Input],
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Models repeat what each operation shows; they start folded.
  defaultModelsExpandDepth: 0,
  // The document is checked when it is built, so no outside validator is used.
  validatorUrl: null,
  onComplete: () => {
    const key = sessionStorage.getItem(KEY_ITEM);
    if (key) window.ui.preauthorizeApiKey(SCHEME, key);
  },
});
