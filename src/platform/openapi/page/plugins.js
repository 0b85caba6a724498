'use strict';

{
  /** The console keeps the key under the same name: it is entered once for a tab, and gone when the tab closes. */
  const KEY_ITEM = 'animal-store.key';
  const SCHEME = 'apiKey';
  /** Errors of HTTP itself, which every operation has and few callers meet. */
  const TRANSPORT = new Set(['bad_request', 'request_timeout', 'headers_too_large']);

  /** Shows each operation's stability mark and the access it takes, which the document holds, next to its path. */
  const StabilityBadge = () => ({
    wrapComponents: {
      OperationSummaryPath:
        (Original, { React, specSelectors }) =>
        (props) => {
          // Read from the document itself, because an operation that is still folded is not resolved yet.
          const [path, method] = [props.operationProps.get('path'), props.operationProps.get('method')];
          const operation = specSelectors.specJson().getIn(['paths', path, method]);
          const [stability, sunset] = [operation.get('x-stability'), operation.get('x-sunset')];
          const badge = (name, text) =>
            text && React.createElement('span', { className: `stability stability-${name}` }, text);
          return React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, props),
            badge(stability, stability),
            badge('access', operation.get('x-required-access')),
            badge('until', sunset && `until ${sunset}`),
          );
        },
    },
  });

  /** Keeps the key for this tab only. Swagger UI's own `persistAuthorization` keeps it in the browser for good. */
  const KeyOfThisTab = () => ({
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
  });

  /** Folds what every response repeats: its headers, and the errors as one table by code. */
  const FoldedResponses = () => ({
    wrapComponents: {
      headers:
        (Original, { React }) =>
        (props) => {
          const count = props.headers?.size ?? 0;
          if (count === 0) return null;
          return folded(React, 'folded', `${count} headers`, React.createElement(Original, props));
        },
      responses:
        (Original, { React }) =>
        (props) => {
          const isError = (_response, status) => Number(status) >= 400;
          const rows = errorRows(props.responses.filter(isError));
          const [transport, others] = [rows.filter(isTransport), rows.filter((row) => !isTransport(row))];
          return React.createElement(
            React.Fragment,
            null,
            React.createElement(Original, { ...props, responses: props.responses.filterNot(isError) }),
            rows.length > 0 &&
              folded(
                React,
                'folded errors',
                `${rows.length} errors`,
                table(React, others),
                folded(
                  React,
                  'folded',
                  `${transport.length} errors of HTTP itself, such as 408 and 431`,
                  table(React, transport),
                ),
              ),
          );
        },
    },
  });

  const isTransport = ([, code]) => TRANSPORT.has(code);

  /** Status, code and an example of the message. */
  function errorRows(errors) {
    return errors
      .entrySeq()
      .flatMap(([status, response]) =>
        (response.getIn(['content', 'application/json', 'examples']) ?? [])
          .entrySeq()
          .map(([code, example]) => [status, code, example.getIn(['value', 'message'])]),
      )
      .toArray();
  }

  const folded = ({ createElement }, className, title, ...children) =>
    createElement('details', { className }, createElement('summary', null, title), ...children);

  function table({ createElement }, rows) {
    const row = (type, cells) =>
      createElement('tr', { key: cells[1] }, ...cells.map((cell) => createElement(type, null, cell)));
    const link = (code) =>
      createElement('a', { href: `docs/errors#${code}` }, createElement('code', null, code));
    return createElement(
      'table',
      null,
      createElement('thead', null, row('th', ['Status', 'Code', 'Message, for example'])),
      createElement(
        'tbody',
        null,
        rows.map(([status, code, message]) => {
          const cells = [status, link(code), message];
          return createElement('tr', { key: code }, ...cells.map((cell) => createElement('td', null, cell)));
        }),
      ),
    );
  }

  /** Swagger UI looks for a separate input for every format and reports each that is missing. */
  const Int64Input = () => ({
    components: {
      JsonSchema_integer_int64: (props) =>
        window.ui.React.createElement(props.getComponent('JsonSchema_string'), props),
    },
  });

  /** Shows a JSON body with the digits it came with. Swagger UI reads its numbers, which rounds an int64. */
  const ExactBody = () => ({
    wrapComponents: {
      responseBody:
        (Original, { React }) =>
        (props) => {
          const text = indented(props);
          if (text === undefined) return React.createElement(Original, props);
          const Code = props.getComponent('HighlightCode', true);
          return React.createElement(
            'div',
            null,
            React.createElement('h5', null, 'Response body'),
            React.createElement(
              Code,
              { downloadable: true, fileName: 'response.json', language: 'json', canCopy: true },
              text,
            ),
          );
        },
    },
  });

  /** A JSON body, indented; undefined for any other body, and where the browser does not show a number's source. */
  function indented({ content, contentType }) {
    if (!JSON.rawJSON || typeof content !== 'string' || !contentType?.startsWith('application/json'))
      return undefined;
    try {
      const exact = (_key, value, { source } = {}) =>
        typeof value === 'number' && source ? JSON.rawJSON(source) : value;
      return JSON.stringify(JSON.parse(content, exact), null, 2);
    } catch {
      return undefined;
    }
  }

  window.storePlugins = [StabilityBadge, KeyOfThisTab, FoldedResponses, Int64Input, ExactBody];

  window.restoreKey = (ui) => {
    const key = sessionStorage.getItem(KEY_ITEM);
    if (key) ui.preauthorizeApiKey(SCHEME, key);
  };
}
