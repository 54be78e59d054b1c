/**
 * `npm run redis-versions [-- options] [FILE...]`: runs tests on each Redis and Valkey of Debian's suites (docs/testing.md). The last line is
 * `N passed, N failed`.
 */
import { delimiter } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import './check-node.mjs';
import { runTests } from './mocha.mjs';
import { setUp } from './set-up.mjs';

const help = `npm run redis-versions -- [options] [FILE...]

  FILE         test files; default: those of the users file, of operators' commands, of restarts and of lost writes
  --list       download the servers and print their versions, without tests
  --only A,B   these servers only, by the names that --list prints
  --redis KIND process (default), cluster, sentinel or tls-acl: the Redis that tests share (docs/testing.md)
  --all        count a server that cannot be had as a failure
  --help       show this help
`;

const files = ['restart-with-users', 'redis-users', 'operator-commands', 'lost-writes', 'numbering'].map(
  (name) => `packages/store/test/${name}.redis.test.ts`,
);

/** Tests of servers mostly wait. */
const atATime = 2;

const { values, positionals } = parseArgs({
  options: {
    redis: { type: 'string', default: 'process' },
    list: { type: 'boolean' },
    only: { type: 'string' },
    all: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}
if ((await setUp()) !== null) process.exit(2);
const { provideRedisVersion, redisVersions } = await import('../packages/testkit/dist/index.js');
const only = values.only?.split(',') ?? null;
const unknown = only?.find((name) => !redisVersions.some((version) => version.name === name));
if (unknown !== undefined) throw new Error(`--only ${unknown}: unknown server; use ${redisVersions.map(({ name }) => name).join(', ')}`);

const env = { ...process.env };
// Tests fail instead of being skipped on another server than this one.
Object.assign(process.env, { PERCH_TEST_REQUIRE_REDIS: '1', PERCH_TEST_REDIS: values.redis });
const summary = [];
const provided = [];
let [passed, failed] = [0, 0];
for (const version of redisVersions.filter(({ name }) => only?.includes(name) ?? true)) {
  const server = await provideRedisVersion(env, version);
  if (typeof server !== 'string') {
    provided.push({ ...server, name: version.name });
    continue;
  }
  summary.push(`${version.name}: left out, because ${server}`);
  if (values.all) failed += 1;
}
if (values.list) for (const { name, version } of provided) summary.push(`${name}: ${version}`);
else await Promise.all(Array.from({ length: atATime }, testServers));
for (const line of summary) print(line);
if (!values.list || failed > 0) print(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Tests one server after the other, and prints the lines of each when its tests have ended. */
async function testServers() {
  for (let server; (server = provided.shift()) !== undefined;) {
    const { name, version, bin } = server;
    const lines = [`== ${name}: ${version}`];
    // The process of the tests is given PATH before runTests returns.
    process.env.PATH = `${bin}${delimiter}${env.PATH ?? ''}`;
    const result = await runTests(positionals.length > 0 ? positionals : files, (line) => lines.push(line));
    for (const line of lines) print(line);
    for (const line of result.failures) summary.push(`${name}: ${line}`);
    const skips = result.skips.map(({ reason, count }) => `, ${count} skipped: ${reason}`).join('');
    summary.push(`${name}: ${version}: ${result.passed} passed, ${result.failed} failed${skips}`);
    passed += result.passed;
    failed += result.failed;
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
