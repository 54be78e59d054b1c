/**
 * `npm run nightly [-- PART]…`: what takes too long for `.ci/run`. A change runs the parts that guard what it touches; docs/testing.md says which.
 * `npm run nightly -- --list` names them. Some need programs that only `.ci/run` installs, or a Docker engine; without these they fail.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { problemsOfKnown } from './known-failures.mjs';
import { onlyNode, required } from './part-env.mjs';
import { runParts } from './parts.mjs';

const report = (name, title, seconds, ...args) => ({
  name,
  title,
  seconds,
  command: ['npm', 'run', '--silent', name.replace(/-.*/, ''), ...(args.length === 0 ? [] : ['--', ...args])],
  reports: 60,
});

const clients = ['client-faults.test.ts', 'client.test.ts', 'packed-client.long.test.ts'].map((file) => `test-e2e/scenarios/${file}`);
const store = 'packages/store/test/**/*.redis.test.ts';

const parts = [
  {
    name: 'bare',
    title: 'npm test with Node alone and an empty HOME; tests of properties draw values that were not tried before',
    seconds: 700,
    command: ['npm', 'test'],
    env: () => onlyNode({ ...required, PERCH_TEST_SEED: 'random' }),
  },
  { name: 'long', title: 'all long tests', seconds: 900, command: ['npm', 'test', '--', '--long'], env: required },
  {
    name: 'bare-long',
    title: 'the same with Node alone and an empty HOME',
    seconds: 1500,
    command: ['npm', 'test', '--', '--long'],
    env: () => onlyNode(required),
  },
  {
    name: 'browser-dark-phone',
    title: 'every browser file in the dark theme on a phone; in the light one on a desktop they are in short and long',
    seconds: 600,
    command: ['npm', 'test', '--', 'test-e2e/browser/*.test.ts'],
    env: { ...required, PERCH_TEST_THEME: 'dark', PERCH_TEST_WINDOW: '360x740' },
  },
  report('chaos', '200 rounds of faults', 1500, '--rounds', '200'),
  report('fuzz', '50,000 hostile requests', 600),
  report('load', '1,000 robots and a robot-link that is killed', 240, '--robots', '1000', '--rate', '50', '--minutes', '2', '--storm'),
  report('rolling', 'this release by itself, and the last one to this one and back', 600),
  ...releasesBeforeLast().map((version) =>
    report(`rolling-${version}`, `${version} to this release and back`, 500, '--from', version, '--only', 'last-release'),
  ),
  report(
    'compat',
    'MCP clients and converters of tools and of the OpenAPI document, as they are published; writes docs/clients/compatibility.md',
    900,
  ),
  report('bench', 'costs of single calls; on an idle machine', 4200),
  {
    name: 'redis-versions',
    title: 'the store on each Redis and Valkey of Debian',
    seconds: 1500,
    command: ['npm', 'run', '--silent', 'redis-versions', '--', store],
  },
  {
    name: 'redis-versions-cluster',
    title: 'the store on a Cluster of each',
    seconds: 1500,
    command: ['npm', 'run', '--silent', 'redis-versions', '--', '--redis', 'cluster', store],
  },
  ...['22', '24'].map((version) => ({
    name: `clients-node-${version}`,
    title: `the packed TypeScript client and the hostile server in Node ${version}`,
    seconds: 300,
    command: ['npm', 'test', '--', '--node', version, ...clients],
    env: required,
  })),
  {
    name: 'micropython-newest',
    title: 'the robot program in the newest MicroPython of Debian',
    seconds: 300,
    command: ['npm', 'test', '--', 'test-e2e/scenarios/micropython-*.test.ts', 'test-e2e/scenarios/robot-conformance.test.ts'],
    env: { ...required, PERCH_TEST_MICROPYTHON_SUITE: 'sid' },
  },
  report('docker', 'docker-compose.yml on a Docker engine: questions, restarts of Redis, a changed setting', 1200, ...dockerArgs()),
];

/** Returns the releases that this one runs beside, without the last one. */
function releasesBeforeLast() {
  const releases = JSON.parse(readFileSync(new URL('../deploy/releases.json', import.meta.url), 'utf8'));
  return Object.keys(releases)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .slice(0, -1);
}

/** PERCH_NIGHTLY_DOCKER=--stand-ins where no registry of images can be reached. */
function dockerArgs() {
  return (process.env.PERCH_NIGHTLY_DOCKER ?? '').split(' ').filter((arg) => arg !== '');
}

const problems = problemsOfKnown(undefined, new Date().toISOString().slice(0, 10));
for (const problem of problems) process.stderr.write(`scripts/known-failures.mjs: ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : await runParts(parts, process.argv.slice(2));
