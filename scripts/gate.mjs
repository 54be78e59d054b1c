/**
 * The parts of `.ci/run`, which every change must pass; docs/testing.md says what each guards. `node scripts/gate.mjs [--only PART]… | --list`, with the
 * programs that `.ci/run` installs.
 */
import process from 'node:process';
import { onlyNode, required } from './part-env.mjs';
import { runParts } from './parts.mjs';

const oneInstance = { PERCH_TEST_INSTANCES: '1' };
const npmTest = (...args) => ['npm', 'test', ...(args.length === 0 ? [] : ['--', ...args])];
const waits = 'test-e2e/scenarios/waits.test.ts';
const onRedis = ['waits', 'screen', 'console-accounts.long'].map((name) => `test-e2e/scenarios/${name}.test.ts`);
const units = ['packages/{client,runtime,schema,screen,sound,virtual-robot}/test/**/!(*.redis|*.long).test.ts'];
const onlyNodeFiles = [
  'packages/{launcher,testkit,installer}/test/*.test.ts',
  'packages/store/test/cluster.redis.test.ts',
  'test-e2e/scenarios/readme.long.test.ts',
  waits,
  ...['cluster', 'killed', 'redis-restarts', 'sentinel'].map((name) => `test-e2e/systems/${name}.long.test.ts`),
  'test-e2e/browser/newcomer.test.ts',
];
const embeddedFiles = [
  'packages/store/test/**/*.redis.test.ts',
  'packages/launcher/test/*.test.ts',
  waits,
  ...['micropython-wasm', 'micropython-wasm.long'].map((name) => `test-e2e/scenarios/${name}.test.ts`),
];

const parts = [
  { name: 'short', title: 'npm test, with the installed Redis and browser', seconds: 480, command: npmTest(), env: required },
  { name: 'long', title: 'the long tests', seconds: 900, command: npmTest('--long'), env: required },
  {
    name: 'only-node',
    title: 'without Redis, browser and pnpm on PATH, and an empty HOME: tests that download or start them',
    seconds: 380,
    command: npmTest(...onlyNodeFiles),
    env: () => onlyNode(required),
  },
  {
    name: 'embedded',
    title: 'the same without downloads: the store and a scenario on the embedded Redis',
    seconds: 220,
    command: npmTest(...embeddedFiles),
    env: () => onlyNode({ ...oneInstance, PERCH_TEST_DOWNLOAD: '0' }),
  },
  ...['cluster', 'sentinel', 'tls-acl'].map((kind) => ({
    name: kind,
    title: `scenarios, Redis: ${kind}`,
    seconds: 30,
    command: npmTest(...onRedis),
    env: { ...required, ...oneInstance, PERCH_TEST_REDIS: kind },
  })),
  {
    name: 'micropython',
    title: 'a scenario with the robot program in MicroPython',
    seconds: 30,
    command: npmTest(waits, 'test-e2e/scenarios/micropython-wasm.test.ts'),
    env: { PERCH_TEST_ROBOT: 'micropython' },
  },
  ...['22', '24'].map((version) => ({
    name: `node-${version}`,
    title: `unit tests and a scenario with Node.js ${version}`,
    seconds: 80,
    command: npmTest('--node', version, ...units, waits),
    env: {},
  })),
];

process.exitCode = await runParts(parts, process.argv.slice(2));
