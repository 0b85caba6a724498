/**
 * The arrows of docs/architecture.md: a folder imports only from the folders on its left.
 * A line added here is a decision; a line broken fails `npm run check`.
 */
const order = [
  'common',
  'config',
  'telemetry',
  'database',
  'auth',
  'rate-limit',
  'idempotency',
  'pets',
  'store',
  'health',
  'openapi',
  'commands',
];

const leftOnly = order.map((folder, index) => ({
  name: `${folder}-imports-only-from-its-left`,
  comment: `${folder} may know ${order.slice(0, index).join(', ') || 'no other folder'}; what it needs from its right belongs elsewhere.`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${order.slice(0, index + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...leftOnly,
    {
      name: 'no-circles',
      comment: 'Two files that import each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'entities-and-repositories-stay-home',
      comment: "Another module's tables are reached through its service.",
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/.*\\.(entity|repository)\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'nobody-imports-the-entrances',
      comment: 'main.ts and cli.ts boot; they offer nothing to import.',
      severity: 'error',
      from: {},
      to: { path: '^src/(main|cli)\\.ts$' },
    },
    {
      name: 'no-unresolved',
      comment: 'An import that resolves to nothing fails at run time.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'It is installed without the service, and knows of it what openapi.json says.',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { path: '^(src|test|bench|scripts)/' },
    },
    {
      name: 'no-development-dependency-in-src',
      comment: 'The image and the client install production dependencies only.',
      severity: 'error',
      from: { path: '^(client/)?src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
