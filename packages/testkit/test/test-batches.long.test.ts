import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const testBatches = new URL('../../../scripts/test-batches.mjs', import.meta.url).href;

interface Result {
  passed: number;
  failed: number;
  failures: string[];
  known: string[];
  skips: unknown[];
  times: { file: string; ms: number }[];
  stdout: string;
}

describe('the batches of npm test', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-batches-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  const skip = `const skipReason = Symbol.for('perch.skipReason'); it('s', function () { this.test[skipReason] = 'no server'; this.skip(); });`;

  function runBatches(batches: string[][], options: object, env: Record<string, string> = {}): Result {
    const script = `
      import { runBatches } from '${testBatches}';
      const checks = async (print) => print('the checks');
      const result = await runBatches(${JSON.stringify(batches)}, { checks, ...${JSON.stringify(options)} });
      process.stdout.write('answer: ' + JSON.stringify(result));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
      // This test may run without titles.
      env: { ...process.env, PERCH_TEST_TITLES: '1', ...env },
    });
    return { ...JSON.parse(stdout.slice(stdout.indexOf('answer: ') + 'answer: '.length)), stdout };
  }
  const run = (files: string[], options = {}, env = {}): Result =>
    runBatches(
      files.map((path) => ['--no-config', path]),
      options,
      env,
    );

  it('runs up to the given number of batches at a time, and prints the lines of each together', () => {
    const log = join(dir, 'log');
    // Each batch ends when it has seen the one that started with it.
    const meets = (name: string): string => `
      const { appendFileSync, readFileSync } = require('fs');
      describe('${name}', () => {
        before(() => appendFileSync(${JSON.stringify(log)}, '+'));
        after(() => appendFileSync(${JSON.stringify(log)}, '-'));
        it('${name} a', async () => { while (readFileSync(${JSON.stringify(log)}, 'utf8').length < 2) await new Promise((resolve) => setTimeout(resolve, 20)); });
        it('${name} b', () => {});
      });`;
    const names = ['one', 'two', 'three', 'four'];
    const { passed, times, stdout } = run(
      names.map((name) => file(`${name}.cjs`, meets(name))),
      { jobs: 2 },
    );
    assert.deepEqual([passed, times.length], [8, 4]);
    let running = 0;
    const atOnce = [...readFileSync(log, 'utf8')].map((sign) => (running += sign === '+' ? 1 : -1));
    assert.equal(Math.max(...atOnce), 2);
    const lines = [...stdout.matchAll(/the checks|(one|two|three|four) [ab]/g)].map(([line, name]) => name ?? line);
    assert.equal(lines.length, 9);
    const blocks = lines.filter((line, i) => line !== lines[i - 1]);
    assert.equal(new Set(blocks).size, blocks.length, lines.join());
  });

  it('runs compiled tests in place of their sources, names the sources, and runs a failed file again from its source', () => {
    const source = file('one.test.cjs', `it('fails from its source', () => { throw new Error(); });`);
    const name = relative(root, source);
    const compiled = join(dir, 'a/b/c/d/e/compiled');
    const built = join(compiled, name);
    mkdirSync(dirname(built), { recursive: true });
    writeFileSync(built, `describe('s', () => it('is compiled', () => { throw new Error(process.execArgv.join(' ')); }));`);
    const { passed, failed, failures, times, stdout } = runBatches([[name]], { compiled });
    assert.deepEqual([passed, failed, failures.length], [0, 1, 1], stdout);
    // Programs that the test starts with its options run compiled, too.
    assert.match(failures[0]!, /^failed: s is compiled \(Error: --import=\S+compiled-programs\.mjs\?folder=/);
    assert.deepEqual(
      times.map((time) => time.file),
      [name],
    );
    assert.ok(stdout.includes(`again, alone: ${name}: 0 passed, 1 failed`), stdout);
  });

  it('counts a failure once whose error quotes the failures of a program', () => {
    const { failed, failures, stdout } = run([
      file('one.cjs', `it('a', () => { throw new Error('a program printed:\\nfailed: an inner test\\n0 passed'); });`),
    ]);
    assert.deepEqual([failed, failures.length], [1, 1], stdout);
    assert.match(failures[0]!, /^failed: a \(Error: a program printed:/);
  });

  it('adds up the counts of all batches, and returns their skips', () => {
    const { passed, failed, failures, skips } = run([
      file('one.cjs', `it('a', () => {}); it('b', () => {}); ${skip}`),
      file('two.cjs', `it('c', () => {}); ${skip}`),
    ]);
    assert.deepEqual([passed, failed, failures], [3, 0, []]);
    assert.deepEqual(skips, [
      { reason: 'no server', count: 1 },
      { reason: 'no server', count: 1 },
    ]);
  });

  it('counts a test that fails as failed, also if it passes alone afterwards', () => {
    const mark = JSON.stringify(join(dir, 'failed-before'));
    const failsOnce = `const fs = require('fs'); it('fails once', () => { if (!fs.existsSync(${mark})) { fs.writeFileSync(${mark}, ''); throw new Error('busy'); } });`;
    const { passed, failed, failures, stdout } = run([file('one.test.cjs', `it('b', () => {});`), file('two.test.cjs', failsOnce)]);
    assert.deepEqual([passed, failed, failures.length], [1, 1, 1]);
    assert.match(failures[0]!, /^failed: fails once \(Error: busy/);
    assert.match(stdout, /again, alone: \S*two\.test\.cjs: 1 passed, 0 failed/);
  });

  it('kills a mocha that keeps running after its tests because of a timer, and reports a failure with what was open', () => {
    const leaking = run([file('one.test.cjs', `it('a', () => {}); setInterval(() => {}, 1000);`)], {}, { PERCH_TEST_EXIT_MS: '1000' });
    assert.deepEqual([leaking.passed, leaking.failed, leaking.failures.length], [1, 1, 1]);
    assert.match(leaking.failures[0]!, /^failed: mocha ended with SIGKILL although no test failed \(open: .*Timeout.*; files: \S+one\.test\.cjs\)/);
  });

  it('reports a failure if mocha exits before the end of its tests, or runs none', () => {
    const { passed, failed, failures } = run([
      file('one.cjs', `it('a', () => {});`),
      file('two.cjs', `it('b', () => process.exit(3));`),
      file('three.cjs', ''),
    ]);
    assert.deepEqual([passed, failed], [1, 2]);
    assert.deepEqual(failures.toSorted(), ['failed: mocha broke off (code 3)', 'failed: mocha ran no test']);
  });
});
