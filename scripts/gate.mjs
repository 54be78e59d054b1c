/**
 * The parts of `.ci/run`, which every change must pass; docs/testing.md says what each guards. `node scripts/gate.mjs [--only PART]… | --list`, with the
 * programs that `.ci/run` installs.
 */
import process from 'node:process';
import { onlyNode, required } from './part-env.mjs';
import { runParts } from './parts.mjs';
import { setUp } from './set-up.mjs';

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
  'test-e2e/scenarios/!(agent-plugin|cli|examples|micropython-*|python-client|readme|runtimes).long.test.ts',
  'test-e2e/systems/!(alerts-*|long-robot-lists|mqtt-*|redis-commands|robot-metrics|runbooks|speech|traces).long.test.ts',
];
/** Packages as they are published, used from outside; some faults of the clients depend on Node's fetch. The part `long` checks what does not. */
const packed = ['client-faults.test', 'packed-client.long.test'].map((name) => `test-e2e/scenarios/${name}.ts`);
const units = 'packages/{client,conformance,runtime,schema,screen,sound,virtual-robot}/test/**/!(*.redis|*.long).test.ts';
/** They start `npm start`, and download or start a Redis server or a browser. */
const newMachine = [
  ...['start', 'start-redis.long'].map((name) => `packages/launcher/test/${name}.test.ts`),
  ...['debian-redis.long', 'find-redis-server', 'npm-chromium', 'redis-cluster.redis'].map((name) => `packages/testkit/test/${name}.test.ts`),
  'test-e2e/scenarios/readme.long.test.ts',
  'test-e2e/systems/redis-restarts.long.test.ts',
  'test-e2e/browser/newcomer.test.ts',
];

/** In this order two at a time: what computes beside what waits. */
const parts = [
  { name: 'short', title: 'npm test, with the installed Redis and browser', seconds: 860, command: npmTest(), env: required },
  {
    ...run('redis-versions', '--all', '--only', 'redis-trixie,valkey-trixie', ...onNewerServers),
    name: 'newer-redis',
    title: 'connections, durable writes, restarts and users on Redis 8 and Valkey 8, from Debian',
    seconds: 190,
  },
  { ...run('chaos', '--minutes', '1.5'), title: '90 s of faults, drawn by a seed that is printed; builds the last release', seconds: 200 },
  {
    name: 'long',
    title: 'the long tests of the interface, of security and of several instances',
    seconds: 640,
    command: npmTest(...guards),
    env: required,
  },
  { ...run('rolling', '--only', 'upgrade', '--busy'), title: 'the last release is replaced by this one under load', seconds: 110 },
  {
    name: 'only-node',
    title: 'without Redis, browser and pnpm on PATH, and an empty HOME: npm start, and tests that download or start a Redis or a browser',
    seconds: 170,
    command: npmTest(...newMachine),
    env: () => onlyNode(required),
  },
  { ...run('fuzz', '--requests', '2500'), title: '2,500 hostile requests', seconds: 130 },
  {
    name: 'embedded',
    title: 'the same without downloads: the store and waits on the embedded Redis',
    seconds: 110,
    command: npmTest(store, waits),
    env: () => onlyNode({ PERCH_TEST_INSTANCES: '1', PERCH_TEST_DOWNLOAD: '0' }),
  },
  ...['cluster', 'sentinel', 'tls-acl'].map((kind) => ({
    name: kind,
    title: `the store and waits, Redis: ${kind}`,
    seconds: 85,
    command: npmTest(sharedStore, waits),
    env: { ...required, PERCH_TEST_INSTANCES: '1', PERCH_TEST_REDIS: kind },
  })),
  {
    name: 'micropython',
    title: 'waits with the robot program in MicroPython',
    seconds: 20,
    command: npmTest(waits),
    env: { PERCH_TEST_ROBOT: 'micropython' },
  },
  { name: 'node-22', title: 'unit tests and the packed packages with Node.js 22', seconds: 110, command: npmTest('--node', '22', units, ...packed) },
  {
    name: 'node-24',
    title: 'unit tests, waits and the packed packages with Node.js 24',
    seconds: 110,
    command: npmTest('--node', '24', units, waits, ...packed),
  },
];

// Most parts wait more than they compute, so that two take little longer than one. They find the clone set up.
process.exitCode = await runParts(parts, process.argv.slice(2), { atATime: 2, prepare: setUp });
