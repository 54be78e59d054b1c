/** The steps of `npm test` after the set-up. Each answers `{passed, failed, failures}`; a failure is a line `failed: …`, to be repeated at the end. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { root } from './set-up.mjs';

const node = process.execPath;
const tool = (path) => join(root, 'node_modules', path);

const checks = [
  { name: 'types', args: [tool('typescript/bin/tsc'), '-p', 'tsconfig.test.json'] },
  { name: 'types of the web page', args: [tool('typescript/bin/tsc'), '-p', 'packages/console'] },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'floors and doors', args: [join(root, 'deploy/local/floors.mjs')] },
  { name: 'dead code and dependencies', args: [tool('knip/bin/knip.js'), '--no-config-hints'] },
];

/** Two parts of the same length, each with a Redis of its own: a test mostly waits, for a process to start or for time to pass. */
const parts = [['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts'], ['test-e2e/**/*.test.ts']];

/** Types, lint, floors and dead code, all of them whatever the others say. A failed one shows its output. */
export async function runChecks() {
  const total = { passed: 0, failed: 0, failures: [] };
  for (const { name, args } of checks) {
    const { code, output } = await runQuietly(args);
    if (code === 0) total.passed += 1;
    else {
      total.failed += 1;
      total.failures.push(`failed: check: ${name}`);
    }
    process.stdout.write(code === 0 ? `check: ${name}: passed\n` : `${output}check: ${name}: failed\n`);
  }
  return total;
}

/** After its last test mocha has this long to end by itself; what keeps it alive is a leak of some test. */
const endsWithinMs = 20_000;

/** All tests, in parts side by side where there is a processor for each and no Redis is given that they would share; or what `args` say. */
export async function runMocha(args) {
  const isNamed = args.some((arg) => !arg.startsWith('-') && /test/.test(arg));
  const isWhole = args.length === 0 && availableParallelism() >= parts.length && (process.env.PERCH_TEST_REDIS_URL ?? '') === '';
  const runs = isWhole ? parts : [isNamed ? [] : parts.flat()];
  const total = { passed: 0, failed: 0, failures: [] };
  const turns = inTurn(runs.length);
  await Promise.all(
    runs.map(async (files, i) => {
      const { passed, failed, failures } = await runPart([...args, ...files], turns[i].say);
      total.passed += passed;
      total.failed += failed;
      total.failures.push(...failures);
      turns[i].end();
    }),
  );
  return total;
}

/** For each of so many who speak at the same time: what the first says is written at once, what the next one says as soon as that one has ended. */
function inTurn(count) {
  const kept = Array.from({ length: count }, () => []);
  const ended = new Set();
  let turn = 0;
  const write = (line) => process.stdout.write(`${line}\n`);
  return kept.map((lines, i) => ({
    say: (line) => (i === turn ? write(line) : lines.push(line)),
    end() {
      ended.add(i);
      while (turn < count && ended.has(turn)) kept[++turn]?.splice(0).forEach(write);
    },
  }));
}

/** Mocha with our reporter, whose lines `failed: …` and last line are taken off and answered. A run that broke off, or ran nothing, is a failure. */
function runPart(args, say) {
  const reporter = join(root, 'packages/testkit/reporter.mjs');
  return new Promise((resolve, reject) => {
    const colors = process.stdout.isTTY ? ['--color'] : [];
    const child = spawn(node, [tool('mocha/bin/mocha.js'), '--reporter', reporter, ...colors, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const failures = [];
    let counts = null;
    let left = null;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('failed: ')) return failures.push(line);
      const match = /^(\d+) passed, (\d+) failed$/.exec(line);
      if (match === null) return say(line);
      counts = { passed: Number(match[1]), failed: Number(match[2]) };
      left = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
    });
    const passOn = (signal) => child.kill(signal);
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      clearTimeout(left);
      const { passed, failed } = counts ?? { passed: 0, failed: 0 };
      const ending = signal ?? `code ${code}`;
      let trouble = null;
      if (counts === null) trouble = `mocha broke off (${ending})`;
      else if (passed + failed === 0) trouble = 'mocha ran no test';
      else if (code !== 0 && failed === 0) trouble = `mocha ended with ${ending} although no test failed`;
      if (trouble === null) return resolve({ passed, failed, failures });
      say(trouble);
      resolve({ passed, failed: failed + 1, failures: [...failures, `failed: ${trouble}`] });
    });
  });
}

function runQuietly(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
