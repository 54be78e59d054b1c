/**
 * Layers: which package may import which, which folder of the gateway, the robot-link, the store or the schema may import which, and which packages may
 * import an external one (ARCHITECTURE.md). `scripts/imports.mjs` runs the check; packages/testkit/test/imports.long.test.ts tests each rule.
 */

/** Our packages that the source of each package may import. A package that is not listed may import none. */
const layers = {
  'packages/schema': [],
  'packages/screen': ['schema'],
  'packages/sound': ['schema'],
  'packages/runtime': ['schema'],
  'packages/store': ['runtime', 'schema'],
  'packages/link-server': [],
  'packages/conformance': ['link-server', 'schema'],
  'packages/virtual-robot': [],
  'packages/authority': [],
  'packages/local-redis': [],
  'packages/micropython-robot': ['local-redis', 'virtual-robot'],
  'packages/testkit': ['local-redis', 'micropython-robot'],
  'packages/client': [],
  'packages/installer': [],
  'packages/cli': ['client', 'conformance', 'installer', 'link-server', 'runtime', 'schema', 'store'],
  'packages/console': ['installer', 'schema', 'screen', 'sound', 'virtual-robot'],
  'packages/launcher': ['authority', 'installer', 'local-redis', 'micropython-robot', 'runtime', 'schema', 'screen', 'store', 'virtual-robot'],
  'tools/bench': ['launcher', 'local-redis', 'schema', 'store', 'testkit'],
  'tools/chaos': ['launcher', 'local-redis', 'micropython-robot', 'schema', 'screen', 'store', 'testkit', 'virtual-robot'],
  'tools/fuzz': ['launcher', 'local-redis', 'micropython-robot', 'schema', 'store', 'testkit', 'virtual-robot'],
  'tools/chart': ['local-redis', 'testkit', 'virtual-robot'],
  'tools/dashboards': ['client', 'launcher', 'schema', 'testkit', 'virtual-robot'],
  'tools/load': ['bench', 'chaos', 'launcher', 'local-redis', 'store', 'virtual-robot'],
  'tools/reference': ['schema'],
  'tools/rolling': ['chaos', 'launcher', 'local-redis', 'micropython-robot', 'store', 'testkit'],
  'services/gateway': ['installer', 'runtime', 'schema', 'screen', 'sound', 'store'],
  'services/robot-link': ['installer', 'runtime', 'schema', 'screen', 'store'],
  'services/webhooks': ['runtime', 'schema', 'store'],
  'services/renderer': ['runtime', 'schema', 'screen', 'sound', 'store'],
  'services/mqtt-bridge': ['client', 'runtime', 'schema'],
  'services/probe': ['client', 'runtime', 'virtual-robot'],
};

/**
 * Folders of a package, from the bottom. Each may import those in earlier rows; folders in one row do not import each other. Files beside the folders
 * wire them, and are imported by none.
 */
const folders = {
  'services/gateway': [
    ['calls'],
    ['http'],
    ['activity'],
    ['robots'],
    ['media'],
    ['auth'],
    ['idempotency', 'waits', 'events'],
    ['actions'],
    ['groups', 'queue'],
    ['discovery', 'mail'],
    ['oauth'],
    ['rest', 'mcp', 'console'],
    ['telemetry'],
    ['server'],
  ],
  'services/robot-link': [['http', 'input', 'media', 'metrics'], ['session'], ['connection'], ['balance']],
  'packages/store': [
    ['redis'],
    ['instances', 'jobs'],
    ['accounts', 'messaging', 'media'],
    ['activity', 'events', 'guests'],
    ['calls'],
    ['robots'],
    ['webhooks'],
    ['keys'],
    ['auth'],
    ['endings'],
    ['oauth'],
    ['account-data'],
  ],
  'packages/schema': [
    ['base'],
    ['values'],
    ['validation', 'definition'],
    ['robots'],
    ['actions'],
    ['link'],
    ['internal'],
    ['api'],
    ['openapi', 'console'],
  ],
};

/** The only packages (tests included) that may import an external package. */
const allowedImports = [
  { packages: ['ioredis', 'bullmq'], from: ['packages/store', 'tools/bench'] },
  { packages: ['canvas', '@napi-rs/canvas'], from: ['services/renderer', 'packages/console/test', 'test-e2e'] },
  {
    packages: ['ws'],
    from: [
      'services/robot-link',
      'packages/link-server',
      'packages/virtual-robot',
      'tools/bench',
      'tools/fuzz',
      'tools/chaos',
      'tools/load',
      'test-e2e',
    ],
  },
  {
    packages: ['@cto.af/linebreak', 'bidi-js', 'fontkit', 'subset-font', 'emoji.json', 'lucide-static', 'marked', 'pixelmatch'],
    from: ['services/renderer'],
  },
  { packages: ['jsqr'], from: ['services/renderer', 'test-e2e'] },
  { packages: ['uqr'], from: ['packages/screen', 'packages/launcher'] },
  { packages: ['express'], from: ['services/gateway', 'tools/bench'] },
  {
    packages: ['socket.io', '@socket.io/redis-adapter', 'aedes', 'mqemitter-redis', 'mqtt-packet', 'undici'],
    from: ['tools/bench', 'tools/fuzz', 'tools/load'],
  },
  { packages: ['mqtt'], from: ['services/mqtt-bridge', 'test-e2e'] },
  { packages: ['@modelcontextprotocol/server'], from: ['services/gateway'] },
  { packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'], from: ['test-e2e'] },
  { packages: ['@node-rs/argon2'], from: ['packages/store'] },
  { packages: ['bowser', 'nodemailer', 'openid-client', '@simplewebauthn/server'], from: ['services/gateway'] },
  { packages: ['@simplewebauthn/browser'], from: ['packages/console'] },
  { packages: ['mailparser', 'smtp-server'], from: ['packages/testkit'] },
  { packages: ['oidc-provider'], from: ['test-e2e'] },
  {
    packages: ['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
    from: ['packages/runtime'],
  },
  { packages: ['@peculiar/x509'], from: ['packages/authority'] },
  { packages: ['multicast-dns'], from: ['packages/launcher'] },
  { packages: ['ipaddr.js'], from: ['packages/schema', 'packages/runtime'] },
  { packages: ['standardwebhooks'], from: ['services/webhooks', 'tools/chaos', 'test-e2e'] },
  { packages: ['js-redis-server'], from: ['packages/local-redis'] },
  { packages: ['@micropython/micropython-webassembly-pyscript'], from: ['packages/testkit'] },
  { packages: ['testcontainers'], from: ['packages/testkit'] },
  { packages: ['rate-limiter-flexible'], from: ['packages/store', 'services/robot-link'] },
  {
    packages: ['react', 'react-dom', 'react-router', 'react-aria-components', '@tanstack/react-query', 'vite', '@vitejs/plugin-react'],
    from: ['packages/console'],
  },
  { packages: ['playwright-core', 'axe-core', 'oidc-provider'], from: ['test-e2e'] },
];

const anyPackage = '^(?:packages|services|tools)/[^/]+/|^test-e2e/';

module.exports = {
  /** For the test that compares ARCHITECTURE.md. */
  folders,
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'service-imported',
      comment: 'Nothing imports a service: it is a process.',
      severity: 'error',
      from: { path: '^(?:packages|services|tools|test-e2e)/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    ...Object.entries(layers).map(([folder, imported]) => ({
      name: `allowed imports of ${folder}`,
      severity: 'error',
      from: { path: `^${folder}/src/` },
      to: { path: anyPackage, pathNot: [`^${folder}/src/`, ...imported.map((name) => `^(?:packages|tools)/${name}/src/`)] },
    })),
    ...Object.entries(folders).flatMap(([owner, rows]) => {
      const src = `^${owner}/src/`;
      return [
        ...rows.flatMap((row, at) =>
          row.map((folder) => ({
            name: `allowed imports of ${owner}/src/${folder}`,
            severity: 'error',
            from: { path: `${src}${folder}/` },
            to: { path: src, pathNot: [folder, ...rows.slice(0, at).flat()].map((name) => `${src}${name}/`) },
          })),
        ),
        {
          name: `folder of ${owner} without allowed imports`,
          comment: "A new folder needs a place in its package's order.",
          severity: 'error',
          from: { path: `${src}[^/]+/`, pathNot: rows.flat().map((name) => `${src}${name}/`) },
          to: { path: src },
        },
      ];
    }),
    {
      name: 'page-takes-no-schema',
      comment: 'Types only: the schemas themselves would be most of what a browser loads.',
      severity: 'error',
      from: { path: '^packages/console/src/' },
      to: { path: '^packages/schema/src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'package without allowed imports',
      comment: 'A new package needs a line in the table of layers.',
      severity: 'error',
      from: { path: '^(?:packages|services|tools)/[^/]+/src/', pathNot: Object.keys(layers).map((folder) => `^${folder}/`) },
      to: { path: anyPackage },
    },
    ...allowedImports.map(({ packages, from }) => ({
      name: `only ${from.join(', ')} import ${packages.join(', ')}`,
      severity: 'error',
      from: { pathNot: from.map((folder) => `^${folder}/`) },
      to: { path: packages.map((name) => `(?:^|/)node_modules/${name}(?:/|$)`) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // tools/panels and the clients of the bench have their own dependencies, which are not installed here.
    exclude: { path: '(?:^|/)dist/|^tools/panels/|^test-e2e/compat/(?:clients|converters)/' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    moduleSystems: ['es6', 'cjs'],
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
