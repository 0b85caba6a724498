'use strict';

window.ui = window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: window.storePlugins,
  filter: true,
  // The default's numbers have a contrast of 3.7.
  syntaxHighlight: { theme: 'tomorrow-night' },
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Models repeat what each operation shows; they start folded.
  defaultModelsExpandDepth: 0,
  // The document is checked when it is built, so no outside validator is used.
  validatorUrl: null,
  onComplete: () => window.restoreKey(window.ui),
});
