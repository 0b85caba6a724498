'use strict';

/** Shows each operation's stability mark beside its path; the mark is data in the document. */
function StabilityBadge() {
  return {
    wrapComponents: {
      OperationSummaryPath: (Original, system) => (props) => {
        const { React } = system;
        // Read from the document itself: an operation that is still folded is not resolved yet.
        const [path, method] = [props.operationProps.get('path'), props.operationProps.get('method')];
        const operation = system.specSelectors.specJson().getIn(['paths', path, method]);
        const stability = operation.get('x-stability');
        const sunset = operation.get('x-sunset');
        const badges = [];
        if (stability) badges.push([`stability stability-${stability}`, stability]);
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

window.ui = window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [StabilityBadge],
  // The key one authorises with stays in this browser over a reload.
  persistAuthorization: true,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The document is checked when it is built; no outside validator is asked.
  validatorUrl: null,
});
