'use strict';

{
  /** The document's own entry of an operation, because one that is still folded is not resolved yet. Undefined for a webhook's message. */
  const operationOf = ({ specSelectors }, path, method) =>
    specSelectors.specJson().getIn(['paths', path, method]);

  const MARKS = ['x-stability', 'x-required-access'];

  /** Shows next to an operation's path how stable it is, which access it takes, and that a key may call it for itself. */
  const Marks = () => ({
    wrapComponents: {
      OperationSummaryPath: (Original, system) => (props) => {
        const { createElement, Fragment } = system.React;
        const operation = operationOf(
          system,
          props.operationProps.get('path'),
          props.operationProps.get('method'),
        );
        const path = createElement(Original, props);
        if (!operation) return path;
        const [stability, access] = MARKS.map((name) => operation.get(name));
        const sunset = operation.get('x-sunset');
        const mark = (name, text) => createElement('span', { className: `mark mark-${name}` }, text);
        return createElement(
          Fragment,
          null,
          path,
          mark(stability, stability),
          mark('access', access),
          operation.get('x-every-key-for-itself') && mark('self', 'every key: me'),
          sunset && mark('until', `until ${sunset}`),
        );
      },
    },
  });

  /** Swagger UI's own filter finds tags by their name. This one finds operations by any of their words. */
  const OperationFilter = () => ({
    fn: {
      opsFilter: (tags, phrase) => {
        const words = phrase.toLowerCase().split(/\s+/);
        const isFound = (tag) => (operation) => {
          const text = textOf(tag, operation);
          return words.every((word) => text.includes(word));
        };
        return tags
          .map((entry, tag) => entry.update('operations', (operations) => operations.filter(isFound(tag))))
          .filter((entry) => entry.get('operations').size > 0);
      },
    },
    // Swagger UI's own scrolling leaves a linked operation behind the filter. The browser's heeds `scroll-padding-top`.
    statePlugins: {
      layout: { wrapActions: { scrollToElement: () => (element) => element.scrollIntoView() } },
    },
    wrapComponents: {
      FilterContainer: (_Original, system) => () => {
        const { createElement } = system.React;
        const phrase = phraseOf(system);
        const count = system.specSelectors
          .taggedOperations()
          .reduce((sum, tag) => sum + tag.get('operations').size, 0);
        return createElement(
          'div',
          { className: 'filter' },
          createElement('label', { htmlFor: 'filter', className: 'note' }, 'Find an operation'),
          createElement('input', {
            id: 'filter',
            type: 'search',
            placeholder: 'order, POST, webhook, admin …',
            autoComplete: 'off',
            spellCheck: false,
            value: phrase,
            onChange: ({ target }) => system.layoutActions.updateFilter(target.value),
          }),
          createElement('span', { role: 'status', className: 'note' }, `${count} operations`),
        );
      },
      operations: (Original, system) => (props) =>
        phraseOf(system) && system.specSelectors.taggedOperations().size === 0
          ? system.React.createElement(
              'p',
              { className: 'nothing' },
              `No operation has all of: ${phraseOf(system)}`,
            )
          : system.React.createElement(Original, props),
    },
  });

  /** `true` stands for a filter that nobody has used yet. */
  function phraseOf({ layoutSelectors }) {
    const phrase = layoutSelectors.currentFilter();
    return typeof phrase === 'string' ? phrase.trim() && phrase : '';
  }

  function textOf(tag, entry) {
    const operation = entry.get('operation');
    const words = ['operationId', 'summary', ...MARKS].map((name) => operation.get(name));
    return [tag, entry.get('method'), entry.get('path'), ...words].join(' ').toLowerCase();
  }

  (window.storePlugins ??= []).push(Marks, OperationFilter);
}
