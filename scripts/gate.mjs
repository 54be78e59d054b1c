/**
 * The parts of `.ci/run`, which every change must pass; docs/testing.md says what each guards. `node scripts/gate.mjs [--only PART]… | --list`, with the
 * programs that `.ci/run` installs.
 */
import process from 'node:process';
import { onlyNode, required } from './part-env.mjs';
import { runParts } from './parts.mjs';

const npmTest = (...args) => ['npm', 'test', ...(args.length === 0 ? [] : ['--', ...args])];
const run = (name, ...args) => ({ name, command: ['npm', 'run', '--silent', name, '--', ...args], reports: 30 });
const waits = 'test-e2e/scenarios/waits.test.ts';
const store = 'packages/store/test/**/*.redis.test.ts';
/** These start the servers that they need, so that `short` runs them as they are on every kind. */
const ownServers = [
  ...['cluster', 'data-version', 'durable', 'failover', 'full-redis', 'half-open-connection', 'health', 'job-backlog', 'lost-writes', 'maxclients'],
  ...['media-budget', 'numbering', 'operator-commands', 'redis-capabilities', 'redis-users', 'redis-vitals', 'restart-with-users'],
  ...['script-outputs', 'subscriber', 'subscription-probe', 'tls', 'unconfirmed', 'webhooks-cluster'],
];
const sharedStore = `packages/store/test/**/!(${ownServers.join('|')}).redis.test.ts`;
/** What a newer server does differently: WAITAOF, the texts of refusals, permissions, what it drops when it starts. */
const onNewerServers = [
  'durable',
  'failover',
  'half-open-connection',
  'health',
  'lost-writes',
  'redis-capabilities',
  'redis-users',
  'restart-with-users',
  'subscriber',
  'unconfirmed',
].map((name) => `packages/store/test/${name}.redis.test.ts`);
/** Each guards a promise of the interface, of security or of several instances; the others run at night. */
const guards = [
  '{packages/{runtime,store},services/{gateway,robot-link}}/test/**/*.long.test.ts',
  'packages/testkit/test/reporter.long.test.ts',
  'packages/testkit/test/test-batches.long.test.ts',
  'test-e2e/scenarios/!(agent-plugin|cli|examples|micropython-*|packed-client|published-packages|python-client|readme).long.test.ts',
  'test-e2e/systems/!(alerts-*|long-robot-lists|mqtt-*|redis-commands|robot-metrics|speech|traces).long.test.ts',
];
const units = 'packages/{client,runtime,schema,screen,sound,virtual-robot}/test/**/!(*.redis|*.long).test.ts';
/** They start `npm start`, and download or start a Redis server or a browser. */
const newMachine = [
  ...['start', 'start-redis.long'].map((name) => `packages/launcher/test/${name}.test.ts`),
  ...['debian-redis.long', 'find-redis-server', 'npm-chromium', 'redis-cluster.redis'].map((name) => `packages/testkit/test/${name}.test.ts`),
  'test-e2e/scenarios/readme.long.test.ts',
  'test-e2e/systems/redis-restarts.long.test.ts',
  'test-e2e/browser/newcomer.test.ts',
];

const parts = [
  { name: 'short', title: 'npm test, with the installed Redis and browser', seconds: 400, command: npmTest(), env: required },
  {
    name: 'long',
    title: 'the long tests of the interface, of security and of several instances',
    seconds: 330,
    command: npmTest(...guards),
    env: required,
  },
  {
    name: 'only-node',
    title: 'without Redis, browser and pnpm on PATH, and an empty HOME: npm start, and tests that download or start a Redis or a browser',
    seconds: 150,
    command: npmTest(...newMachine),
    env: () => onlyNode(required),
  },
  {
    name: 'embedded',
    title: 'the same without downloads: the store and waits on the embedded Redis',
    seconds: 100,
    command: npmTest(store, waits),
    env: () => onlyNode({ PERCH_TEST_INSTANCES: '1', PERCH_TEST_DOWNLOAD: '0' }),
  },
  ...['cluster', 'sentinel', 'tls-acl'].map((kind) => ({
    name: kind,
    title: `the store and waits, Redis: ${kind}`,
    seconds: 120,
    command: npmTest(sharedStore, waits),
    env: { ...required, PERCH_TEST_INSTANCES: '1', PERCH_TEST_REDIS: kind },
  })),
  {
    ...run('redis-versions', '--all', '--only', 'redis-trixie,valkey-trixie', ...onNewerServers),
    name: 'newer-redis',
    title: 'connections, durable writes, restarts and users on Redis 8 and Valkey 8, from Debian',
    seconds: 150,
  },
  {
    name: 'micropython',
    title: 'waits with the robot program in MicroPython',
    seconds: 20,
    command: npmTest(waits),
    env: { PERCH_TEST_ROBOT: 'micropython' },
  },
  { name: 'node-22', title: 'unit tests with Node.js 22', seconds: 60, command: npmTest('--node', '22', units) },
  { name: 'node-24', title: 'unit tests and waits with Node.js 24', seconds: 60, command: npmTest('--node', '24', units, waits) },
  { ...run('chaos', '--minutes', '1.5'), title: '90 s of faults, drawn by a seed that is printed; builds the last release', seconds: 200 },
  { ...run('fuzz', '--requests', '2500'), title: '2,500 hostile requests', seconds: 110 },
  { ...run('rolling', '--only', 'upgrade'), title: 'the last release is replaced by this one under load', seconds: 200 },
];

process.exitCode = await runParts(parts, process.argv.slice(2));
