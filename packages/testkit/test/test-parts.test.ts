import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const testkit = fileURLToPath(new URL('..', import.meta.url));
const testParts = new URL('../../../scripts/test-parts.mjs', import.meta.url).href;

describe('the parts of npm test', function () {
  this.timeout(60_000);
  let dir = '';
  beforeEach(() => {
    options = [];
    dir = mkdtempSync(join(testkit, 'test/.parts-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Writes a test file and returns its path. */
  const file = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  /** Additional arguments of each mocha run. */
  let options: string[] = [];
  /** Runs `runParts` with one part for each test file and returns its result. */
  const run = (...files: string[]): { passed: number; failed: number; failures: string[]; skips: unknown[] } => {
    const parts = JSON.stringify(files.map((path) => ['--no-config', ...options, path]));
    const script = `import { runParts } from '${testParts}'; process.stdout.write('answer: ' + JSON.stringify(await runParts(${parts})));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: testkit, encoding: 'utf8' });
    return JSON.parse(stdout.slice(stdout.indexOf('answer: ') + 'answer: '.length));
  };
  /** Returns the text of a test file that fails in its first run only. */
  const failsOnce = (): string => {
    const mark = join(dir, 'failed-before');
    assert.ok(!existsSync(mark));
    const text = `const fs = require('fs'); const mark = ${JSON.stringify(mark)};`;
    return `${text} it('fails once', () => { if (!fs.existsSync(mark)) { fs.writeFileSync(mark, ''); throw new Error('busy'); } }); it('a', () => {});`;
  };

  it('adds up the counts of all parts', () => {
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
    assert.deepEqual(
      failures.map((line) => line.split(' (')[0]),
      ['failed at first: b', 'failed at first: fails once', 'failed: b'],
    );
  });

  it('returns the skips of all parts, counting those of a rerun file once', () => {
    const skip = `const skipReason = Symbol.for('perch.skipReason'); it('s', function () { this.test[skipReason] = 'no server'; this.skip(); });`;
    const { passed, failed, skips } = run(file('one.cjs', `it('b', () => {}); ${skip}`), file('two.cjs', `${failsOnce()} ${skip}`));
    assert.deepEqual([passed, failed], [3, 0]);
    assert.deepEqual(skips, [
      { reason: 'no server', count: 1 },
      { reason: 'no server', count: 1 },
    ]);
  });

  it('kills and reports a mocha that keeps running after its tests because of a timer', () => {
    options = ['--node-option', 'conditions=source'];
    const { passed, failed, failures } = run(file('one.cjs', `it('a', () => {}); setInterval(() => {}, 1000);`));
    assert.deepEqual([passed, failed], [1, 1]);
    assert.match(failures[0]!, /mocha ended with SIGKILL although no test failed/);
  });

  it('reports a failure if mocha exits before the end of its tests', () => {
    const { passed, failed, failures } = run(file('one.cjs', `it('a', () => {});`), file('two.cjs', `it('b', () => process.exit(3));`));
    assert.deepEqual([passed, failed, failures], [1, 1, ['failed: mocha broke off (code 3)']]);
  });
});
