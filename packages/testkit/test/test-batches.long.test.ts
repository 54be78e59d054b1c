import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const testkit = fileURLToPath(new URL('..', import.meta.url));
const root = join(testkit, '../..');
const testBatches = new URL('../../../scripts/test-batches.mjs', import.meta.url).href;

describe('the batches of npm test', () => {
  let dir = '';
  beforeEach(() => {
    options = [];
    jobs = undefined;
    jobsWhenIdle = undefined;
    isIdle = false;
    env = {};
    dir = mkdtempSync(join(testkit, 'test/.batches-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  let options: string[] = [];
  let jobs: number | undefined;
  let jobsWhenIdle: number | undefined;
  let isIdle = false;
  let env: Record<string, string> = {};
  const run = (
    ...files: string[]
  ): { passed: number; failed: number; failures: string[]; skips: unknown[]; times: { ms: number }[]; stdout: string } => {
    const batches = JSON.stringify(files.map((path) => ['--no-config', ...options, path]));
    const script = `
      import { runBatches } from '${testBatches}';
      const idle = (isOver) => new Promise((resolve) => ${isIdle} ? resolve() : setInterval(function () { if (isOver()) resolve(clearInterval(this)); }, 10));
      const result = await runBatches(${batches}, { jobs: ${jobs}, jobsWhenIdle: ${jobsWhenIdle}, idle, checks: async (print) => print('the checks') });
      process.stdout.write('answer: ' + JSON.stringify(result));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: testkit,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    return { ...JSON.parse(stdout.slice(stdout.indexOf('answer: ') + 'answer: '.length)), stdout };
  };
  const failsOnce = (): string => {
    const mark = join(dir, 'failed-before');
    assert.ok(!existsSync(mark));
    const text = `const fs = require('fs'); const mark = ${JSON.stringify(mark)};`;
    return `${text} it('fails once', () => { if (!fs.existsSync(mark)) { fs.writeFileSync(mark, ''); throw new Error('busy'); } }); it('a', () => {});`;
  };

  /** Runs four batches, and returns how many ran at the same time at most. */
  const fourBatches = () => {
    const log = join(dir, 'log');
    const waits = (name: string): string => `
      const { appendFileSync } = require('fs');
      describe('${name}', () => {
        before(() => appendFileSync(${JSON.stringify(log)}, '+'));
        after(() => appendFileSync(${JSON.stringify(log)}, '-'));
        for (let i = 0; i < 3; i++) it('${name}', () => new Promise((resolve) => setTimeout(resolve, 700)));
      });`;
    const result = run(...['one', 'two', 'three', 'four'].map((name) => file(`${name}.cjs`, waits(name))));
    const noted = readFileSync(log, 'utf8');
    assert.match(noted, /^[+-]{8}$/);
    let running = 0;
    const counts = [...noted].map((sign) => (running += sign === '+' ? 1 : -1));
    return { ...result, atOnce: Math.max(...counts) };
  };

  it('runs up to the given number of batches at a time, and prints the lines of each together', () => {
    jobs = 2;
    jobsWhenIdle = 4;
    const { passed, times, stdout, atOnce } = fourBatches();
    assert.deepEqual([passed, atOnce], [12, 2]);
    assert.ok(times.length === 4 && times.every(({ ms }) => ms >= 2090), JSON.stringify(times));
    const lines = [...stripVTControlCharacters(stdout).matchAll(/the checks|✔ (\w+)/g)].map(([line, name]) => name ?? line);
    assert.equal(lines.length, 13);
    assert.equal(
      new Set(lines.filter((line, i) => line !== lines[i - 1])).size,
      lines.filter((line, i) => line !== lines[i - 1]).length,
      lines.join(),
    );
  });

  it('runs more batches at a time while processors idle', () => {
    jobs = 1;
    jobsWhenIdle = 3;
    isIdle = true;
    const { passed, atOnce } = fourBatches();
    assert.equal(passed, 12);
    assert.ok(atOnce >= 2 && atOnce <= 3, String(atOnce));
  });

  it('runs compiled tests in place of their sources, names the sources, and runs a failed file again from its source', () => {
    const source = file('one.test.ts', `it('has a type', () => { const one: number = 1; if (one !== 1) throw new Error(); });`);
    const compiled = join(dir, 'compiled');
    const name = relative(root, source);
    mkdirSync(dirname(join(compiled, name)), { recursive: true });
    writeFileSync(
      join(compiled, name.replace(/ts$/, 'js')),
      `describe('s', () => it('is compiled', () => { throw new Error(process.execArgv.join(' ')); }));`,
    );
    const script = `
      import { runBatches } from '${testBatches}';
      const result = await runBatches([[${JSON.stringify(name)}]], { compiled: ${JSON.stringify(compiled)} });
      process.stdout.write('answer: ' + JSON.stringify(result));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
    const { passed, failed, failures, times } = JSON.parse(stdout.slice(stdout.indexOf('answer: ') + 'answer: '.length));
    assert.deepEqual([passed, failed, failures.length], [1, 0, 1], stdout);
    // Programs that the test starts with its options run compiled, too.
    assert.match(failures[0]!, /^failed at first: s is compiled \(Error: --import=\S+compiled-programs\.mjs\?folder=/);
    assert.deepEqual(
      times.map((time: { file: string }) => time.file),
      [name],
    );
  });

  it('adds up the counts of all batches', () => {
    const { passed, failed, failures } = run(file('one.cjs', `it('a', () => {}); it('b', () => {});`), file('two.cjs', `it('c', () => {});`));
    assert.deepEqual([passed, failed, failures], [3, 0, []]);
  });

  it('reruns a file with a failed test alone, counts the second result, and still reports the first failure', () => {
    const { passed, failed, failures } = run(file('one.cjs', `it('b', () => {});`), file('two.cjs', failsOnce()));
    assert.deepEqual([passed, failed, failures.length], [3, 0, 1]);
    assert.match(failures[0]!, /^failed at first: fails once \(Error: busy/);
  });

  it('counts a test that fails twice as failed', () => {
    const { passed, failed, failures } = run(file('one.cjs', `it('b', () => { throw new Error('broken'); });`), file('two.cjs', failsOnce()));
    assert.deepEqual([passed, failed], [2, 1]);
    // The batches run side by side: either may end first.
    assert.deepEqual(failures.map((line) => line.split(' (')[0]).toSorted(), ['failed at first: b', 'failed at first: fails once', 'failed: b']);
  });

  it('returns the skips of all batches, counting those of a rerun file once', () => {
    const skip = `const skipReason = Symbol.for('perch.skipReason'); it('s', function () { this.test[skipReason] = 'no server'; this.skip(); });`;
    const { passed, failed, skips } = run(file('one.cjs', `it('b', () => {}); ${skip}`), file('two.cjs', `${failsOnce()} ${skip}`));
    assert.deepEqual([passed, failed], [3, 0]);
    assert.deepEqual(skips, [
      { reason: 'no server', count: 1 },
      { reason: 'no server', count: 1 },
    ]);
  });

  it('kills a mocha that keeps running after its tests because of a timer, reports what was open, and runs its files again', () => {
    options = ['--node-option', 'conditions=source'];
    env = { PERCH_TEST_EXIT_MS: '1000' };
    const leaking = run(file('one.test.cjs', `it('a', () => {}); setInterval(() => {}, 1000);`));
    assert.deepEqual([leaking.passed, leaking.failed], [1, 1]);
    const trouble = /mocha ended with SIGKILL although no test failed \(open: .*Timeout.*; files: \S+one\.test\.cjs\)/;
    assert.deepEqual(
      leaking.failures.map((line) => line.split(': ')[0]),
      ['failed at first', 'failed'],
    );
    for (const line of leaking.failures) assert.match(line, trouble);
    const mark = JSON.stringify(join(dir, 'leaked-before'));
    const leaksOnce = `const fs = require('fs'); if (!fs.existsSync(${mark})) { fs.writeFileSync(${mark}, ''); setInterval(() => {}, 1000); }`;
    const leakedOnce = run(file('one.test.cjs', `it('a', () => {}); it('b', () => {});`), file('two.test.cjs', `${leaksOnce} it('c', () => {});`));
    assert.deepEqual([leakedOnce.passed, leakedOnce.failed], [3, 0]);
    assert.match(leakedOnce.failures.join(), /^failed at first: mocha ended with SIGKILL/);
  });

  it('reports a failure if mocha exits before the end of its tests', () => {
    const { passed, failed, failures } = run(file('one.cjs', `it('a', () => {});`), file('two.cjs', `it('b', () => process.exit(3));`));
    assert.deepEqual([passed, failed, failures], [1, 1, ['failed: mocha broke off (code 3)']]);
  });
});
