'use strict';

{
  /** Errors of HTTP itself, which every operation has and few callers meet. */
  const TRANSPORT = new Set(['bad_request', 'request_timeout', 'headers_too_large']);

  /** Folds what every response repeats: its headers, and the errors as one table by code. */
  const FoldedResponses = ({ React }) => {
    const { createElement, Fragment } = React;
    const Folded = foldedWith(React);
    return {
      wrapComponents: {
        headers: (Original) => (props) => {
          const count = props.headers?.size ?? 0;
          const content = () => createElement(Original, props);
          return count === 0 ? null : createElement(Folded, { title: `${count} headers`, content });
        },
        responses: (Original) => (props) => {
          const isError = (_response, status) => Number(status) >= 400;
          const rows = errorRows(props.responses.filter(isError));
          const [transport, others] = [rows.filter(isTransport), rows.filter((row) => !isTransport(row))];
          const ofHttp = {
            title: `${transport.length} errors of HTTP itself, such as 408 and 431`,
            content: () => table(React, transport),
          };
          return createElement(
            Fragment,
            null,
            createElement(Original, { ...props, responses: props.responses.filterNot(isError) }),
            rows.length > 0 &&
              createElement(Folded, {
                className: 'folded errors',
                title: `${rows.length} errors`,
                content: () =>
                  createElement(Fragment, null, table(React, others), createElement(Folded, ofHttp)),
              }),
          );
        },
      },
    };
  };

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

  /** A `details` whose content is made when it is first opened: an operation has hundreds of headers and errors, and nobody reads most. */
  const foldedWith = ({ createElement, useState }) =>
    function Folded({ className = 'folded', title, content }) {
      const [isOpened, setOpened] = useState(false);
      const open = () => setOpened(true);
      return createElement(
        'details',
        { className, onToggle: open },
        createElement('summary', null, title),
        isOpened && content(),
      );
    };

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

  (window.storePlugins ??= []).push(FoldedResponses, ExactBody);
}
