/** The steps of `npm test` after the set-up. Each answers `{passed, failed}`. */
import { spawn } from 'node:child_process';
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

const allTests = ['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'test-e2e/**/*.test.ts'];

/** Types, lint, floors and dead code, all of them whatever the others say. A failed one shows its output. */
export async function runChecks() {
  const total = { passed: 0, failed: 0 };
  for (const { name, args } of checks) {
    const { code, output } = await runQuietly(args);
    if (code === 0) total.passed += 1;
    else total.failed += 1;
    process.stdout.write(code === 0 ? `check: ${name}: passed\n` : `${output}check: ${name}: failed\n`);
  }
  return total;
}

/** After its last test mocha has this long to end by itself; what keeps it alive is a leak of some test. */
const endsWithinMs = 20_000;

/** Mocha with our reporter, whose last line is taken off and answered. A run that broke off, or ran nothing, is a failure. */
export function runMocha(args) {
  const files = args.some((arg) => !arg.startsWith('-') && /test/.test(arg)) ? [] : allTests;
  const reporter = join(root, 'packages/testkit/reporter.mjs');
  return new Promise((resolve, reject) => {
    const colors = process.stdout.isTTY ? ['--color'] : [];
    const child = spawn(node, [tool('mocha/bin/mocha.js'), '--reporter', reporter, ...colors, ...args, ...files], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let counts = null;
    let left = null;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = /^(\d+) passed, (\d+) failed$/.exec(line);
      if (match === null) {
        process.stdout.write(`${line}\n`);
        return;
      }
      counts = { passed: Number(match[1]), failed: Number(match[2]) };
      left = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
    });
    const passOn = (signal) => child.kill(signal);
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      clearTimeout(left);
      if (counts === null) process.stdout.write(`mocha broke off (${signal ?? `code ${code}`})\n`);
      else if (counts.passed + counts.failed === 0) process.stdout.write('mocha ran no test\n');
      else if (code !== 0 && counts.failed === 0) process.stdout.write(`mocha ended with ${signal ?? `code ${code}`} although no test failed\n`);
      else return resolve(counts);
      resolve({ passed: counts?.passed ?? 0, failed: (counts?.failed ?? 0) + 1 });
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
