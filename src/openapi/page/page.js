'use strict';

/** Shows each operation's stability mark beside its path; the mark is data in the document. */
function StabilityBadge() {
  return {
    wrapComponents: {
      OperationSummaryPath: (Original, system) => (props) => {
        const { React } = system;
        const stability = props.operationProps.getIn(['op', 'x-stability']);
        const sunset = props.operationProps.getIn(['op', 'x-sunset']);
        const badges = [];
        if (stability) badges.push([`stability stability-${stability}`, stability]);
        if (sunset) badges.push(['stability stability-experimental', `until ${sunset}`]);
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
