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
let [passed, failed] = [0, 0];
const summary = [];
for (const version of redisVersions.filter(({ name }) => only?.includes(name) ?? true)) {
  const provided = await provideRedisVersion(env, version);
  if (typeof provided === 'string') {
    summary.push(`${version.name}: left out, because ${provided}`);
    if (values.all) failed += 1;
    continue;
  }
  if (values.list) {
    summary.push(`${version.name}: ${provided.version}`);
    continue;
  }
  print(`== ${version.name}: ${provided.version}`);
  process.env.PATH = `${provided.bin}${delimiter}${env.PATH ?? ''}`;
  const result = await runTests(positionals.length > 0 ? positionals : files, print);
  for (const line of result.failures) summary.push(`${version.name}: ${line}`);
  const skips = result.skips.map(({ reason, count }) => `, ${count} skipped: ${reason}`).join('');
  summary.push(`${version.name}: ${provided.version}: ${result.passed} passed, ${result.failed} failed${skips}`);
  passed += result.passed;
  failed += result.failed;
}
for (const line of summary) print(line);
if (!values.list || failed > 0) print(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function print(line) {
  process.stdout.write(`${line}\n`);
}
