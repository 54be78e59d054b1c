/**
 * Floors and doors of the house (ARCHITECTURE.md). `scripts/floors.mjs` runs it and fails on an empty reading;
 * packages/testkit/test/floors.test.ts proves that each rule bites.
 */

/** What the running code of each room may import of ours, beside itself. A room that is missing here may import nothing of ours. */
const floors = {
  'packages/schema': [],
  'packages/screen': ['schema'],
  'packages/sound': ['schema'],
  'packages/runtime': ['schema'],
  'packages/store': ['schema'],
  'packages/virtual-robot': [],
  'packages/local-redis': [],
  'packages/testkit': ['local-redis'],
  'packages/client': [],
  'packages/cli': ['client', 'runtime', 'schema', 'store'],
  'packages/console': ['schema', 'virtual-robot'],
  'packages/launcher': ['local-redis', 'runtime', 'schema', 'screen', 'store', 'virtual-robot'],
  'tools/bench': ['launcher', 'local-redis', 'schema', 'store', 'testkit'],
  'tools/chaos': ['launcher', 'local-redis', 'schema', 'screen', 'store', 'testkit', 'virtual-robot'],
  'tools/fuzz': ['launcher', 'local-redis', 'schema', 'store', 'testkit', 'virtual-robot'],
  'tools/chart': ['local-redis', 'testkit', 'virtual-robot'],
  'tools/dashboards': ['client', 'launcher', 'schema', 'store', 'testkit', 'virtual-robot'],
  'tools/load': ['bench', 'chaos', 'launcher', 'local-redis', 'store', 'virtual-robot'],
  'tools/rolling': ['chaos', 'launcher', 'local-redis', 'store', 'testkit'],
  'services/gateway': ['runtime', 'schema', 'screen', 'sound', 'store'],
  'services/robot-link': ['runtime', 'schema', 'screen', 'store'],
  'services/webhooks': ['runtime', 'schema', 'store'],
  'services/renderer': ['runtime', 'schema', 'screen', 'sound', 'store'],
};

/** The only rooms (their tests included) that may import an outside package. */
const doors = [
  { packages: ['ioredis', 'bullmq'], rooms: ['packages/store', 'tools/bench'] },
  { packages: ['canvas', '@napi-rs/canvas'], rooms: ['services/renderer', 'test-e2e'] },
  {
    packages: ['ws'],
    rooms: ['services/robot-link', 'packages/virtual-robot', 'tools/bench', 'tools/fuzz', 'tools/chaos', 'tools/load', 'test-e2e'],
  },
  { packages: ['express'], rooms: ['services/gateway', 'tools/bench'] },
  {
    packages: ['socket.io', '@socket.io/redis-adapter', 'aedes', 'mqemitter-redis', 'mqtt-packet', 'undici'],
    rooms: ['tools/bench', 'tools/fuzz', 'tools/load'],
  },
  { packages: ['@modelcontextprotocol/server'], rooms: ['services/gateway'] },
  { packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'], rooms: ['test-e2e'] },
  { packages: ['@node-rs/argon2'], rooms: ['packages/store'] },
  { packages: ['openid-client'], rooms: ['services/gateway'] },
  { packages: ['oidc-provider'], rooms: ['test-e2e'] },
  {
    packages: ['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
    rooms: ['packages/runtime'],
  },
  { packages: ['ipaddr.js'], rooms: ['packages/schema', 'packages/runtime'] },
  { packages: ['standardwebhooks'], rooms: ['services/webhooks', 'tools/chaos', 'test-e2e'] },
  { packages: ['js-redis-server'], rooms: ['packages/local-redis'] },
  { packages: ['testcontainers'], rooms: ['packages/testkit'] },
  { packages: ['rate-limiter-flexible'], rooms: ['packages/store', 'services/robot-link'] },
  { packages: ['@node-rs/argon2'], rooms: ['packages/store'] },
  { packages: ['openid-client'], rooms: ['services/gateway'] },
  {
    packages: ['react', 'react-dom', 'react-router', 'react-aria-components', '@tanstack/react-query', 'vite', '@vitejs/plugin-react'],
    rooms: ['packages/console'],
  },
  { packages: ['playwright-core', 'axe-core', 'oidc-provider'], rooms: ['test-e2e'] },
];

const anyRoom = '^(?:packages|services|tools)/[^/]+/|^test-e2e/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'At run time; types may name each other, they are gone by then.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'service-imported',
      comment: 'Nothing imports a service: it is a process.',
      severity: 'error',
      from: { path: '^(?:packages|services|tools|test-e2e)/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    ...Object.entries(floors).map(([room, below]) => ({
      name: `floor-of-${room.split('/')[1]}`,
      severity: 'error',
      from: { path: `^${room}/src/` },
      to: { path: anyRoom, pathNot: [`^${room}/src/`, ...below.map((name) => `^(?:packages|tools)/${name}/src/`)] },
    })),
    {
      name: 'page-takes-no-schema',
      comment: 'Types are gone by then; the schemas themselves would be most of what a browser loads.',
      severity: 'error',
      from: { path: '^packages/console/src/' },
      to: { path: '^packages/schema/src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'room-without-floor',
      comment: 'A new room needs its line in the table of floors.',
      severity: 'error',
      from: { path: '^(?:packages|services|tools)/[^/]+/src/', pathNot: Object.keys(floors).map((room) => `^${room}/`) },
      to: { path: anyRoom },
    },
    ...doors.map(({ packages, rooms }) => ({
      name: `door-to-${packages[0]}`,
      severity: 'error',
      from: { pathNot: rooms.map((room) => `^${room}/`) },
      to: { path: packages.map((name) => `(?:^|/)node_modules/${name}(?:/|$)`) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // tools/panels has dependencies of its own, which are not installed here.
    exclude: { path: '(?:^|/)dist/|^tools/panels/' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
