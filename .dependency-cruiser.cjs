/**
 * The arrows of docs/architecture.md: a folder imports only from the folders on its left.
 * A line added here is a decision; a line broken fails `npm run check`.
 */

const within = (parent, order) =>
  order.map((folder, index) => ({
    name: `${parent}${folder}-imports-only-from-its-left`,
    comment: `${folder} may know ${order.slice(0, index).join(', ') || 'no other folder'}; what it needs from its right belongs elsewhere.`,
    severity: 'error',
    from: { path: `^src/${parent}${folder}/` },
    to: {
      path: `^src/${parent}`,
      pathNot: `^src/${parent}((${order.slice(0, index + 1).join('|')})/)`,
    },
  }));

const leftOnly = [
  ...within('', [
    'platform',
    'auth',
    'rate-limit',
    'sandbox',
    'pets',
    'store',
    'keys',
    'events',
    'webhooks',
    'commands',
  ]),
  ...within('platform/', [
    'common',
    'config',
    'telemetry',
    'http',
    'database',
    'idempotency',
    'openapi',
    'process',
  ]),
  // The files of http/ itself, such as the server, know all of them.
  ...within('platform/http/', ['operations', 'requests', 'responses', 'pages']),
];

const TESTS = '\\.spec\\.ts$';

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
      from: { path: '^packages/client/src/' },
      to: { path: '^(src|test|bench|scripts|packages/(?!client/))' },
    },
    {
      name: 'the-pglite-server-stands-alone',
      comment: 'It serves any PostgreSQL client and knows nothing of this service.',
      severity: 'error',
      from: { path: '^packages/pglite-server/src/' },
      to: { path: '^(src|test|bench|scripts|packages/(?!pglite-server/))' },
    },
    {
      name: 'the-rate-limiter-stands-alone',
      comment: 'It is for any Node service: a logger, a clock and the count of today are handed in.',
      severity: 'error',
      from: { path: '^packages/rate-limiter/src/' },
      to: {
        path: [
          '^(src|test|bench|scripts|packages/(?!rate-limiter/))',
          'node_modules/(@nestjs|fastify|@fastify|typeorm|pg|reflect-metadata)/',
        ],
      },
    },
    {
      name: 'packages-are-imported-by-name',
      comment: 'What a package exports is its interface.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^packages/', pathNot: '^packages/[^/]+/(src|dist)/index\\.(ts|js|d\\.ts)$' },
    },
    {
      name: 'no-development-dependency-in-src',
      comment: 'The image and the client install production dependencies only.',
      severity: 'error',
      from: { path: ['^src/', '^packages/[^/]+/src/'], pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'no-test-support-in-src',
      comment: 'The build leaves out what only tests use.',
      severity: 'error',
      from: { path: ['^src/', '^packages/[^/]+/src/'], pathNot: TESTS },
      to: { path: ['^test/', '^packages/[^/]+/test/'] },
    },
  ],
  options: {
    // Scripts of pages run in browsers and import by URL.
    exclude: { path: '/page/.*\\.js$' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
