import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skipTest } from '@perch/testkit';

const testkit = fileURLToPath(new URL('..', import.meta.url));
const mocha = join(createRequire(import.meta.url).resolve('mocha/package.json'), '../bin/mocha.js');

describe('the reporter', () => {
  let dir = '';
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-reporter-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  function report(text: string): { lines: string[]; status: number | null } {
    const file = join(dir, 'sample.test.mjs');
    writeFileSync(file, `import { skipTest } from '${new URL('../src/skip-test.ts', import.meta.url).href}';\n${text}`);
    const { stdout, status } = spawnSync(
      process.execPath,
      [...process.execArgv, mocha, '--no-config', '--reporter', join(testkit, 'reporter.mjs'), file],
      // This test may run without titles.
      { cwd: testkit, encoding: 'utf8', env: { ...process.env, PERCH_TEST_TITLES: '1' } },
    );
    return { lines: stdout.trimEnd().split('\n'), status };
  }

  it('prints only the counts on the last line', () => {
    const { lines, status } = report(`it('a', () => {}); it('b', () => {}); it('c', () => { throw new Error('broken'); });`);
    assert.equal(lines.at(-1), '2 passed, 1 failed');
    assert.ok(lines.some((line) => line.includes('broken')));
    assert.equal(status, 1);
  });

  it('prints a line for each failed test or hook with error and location, after one with its file and title', () => {
    const { lines } = report(`
      describe('s', () => { it('a', () => { throw new Error('one\\ntwo'); }); it('fine', () => {}); });
      describe('t', () => { before(() => { throw new Error('never began'); }); it('b', () => {}); });`);
    const [inFirst, first, inSecond, second, counts] = lines.slice(-5);
    assert.match(first!, /^failed: s a \(Error: one two at .*sample\.test\.mjs/);
    assert.match(second!, /^failed: t "before all" hook for "b" \(Error: never began at /);
    const about = [inFirst, inSecond].map((line) => JSON.parse(line!.replace(/^failed in: /, '')));
    assert.deepEqual(
      about.map(({ title }) => title),
      ['s a', 't "before all" hook for "b"'],
    );
    for (const { file } of about) assert.ok(file.endsWith('sample.test.mjs'), file);
    assert.equal(counts, '1 passed, 2 failed');
  });

  it('prints the start and the end of a long message, and where it was thrown', () => {
    const { lines } = report(`it('a', () => { throw new Error('first ' + 'x'.repeat(5000) + ' last'); });`);
    const [failed] = lines.filter((line) => line.startsWith('failed: '));
    assert.match(failed!, /^failed: a \(Error: first x+ … x+ last at .*sample\.test\.mjs/);
    assert.ok(failed!.length < 1000, `${failed!.length} characters`);
  });

  it('counts the processor time of a process of a file though it still runs', function () {
    if (process.platform !== 'linux') skipTest(this, 'the reporter reads /proc');
    const busy = 'while (process.cpuUsage().user < 600_000); process.send(null); setInterval(() => {}, 1000)';
    const { lines } = report(`
      import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      let child;
      describe('s', () => it('a', async () => { child = spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }); await once(child, 'message'); }).timeout(0));
      after(() => child.kill());`);
    const [took] = lines.filter((line) => line.startsWith('took: ')).map((line) => JSON.parse(line.replace(/^took: /, '')));
    // Without the child it would be a few.
    assert.ok(took.cpuMs >= 300, JSON.stringify(took));
  });

  it('lists skipped tests with their reasons before the last line, including suites skipped by a hook', () => {
    const { lines, status } = report(`
      it('a', function () { skipTest(this, 'no browser'); });
      it.skip('b', () => {});
      describe('s', () => { before(function () { skipTest(this, 'no cluster'); }); it('c', () => {}); });`);
    assert.equal(lines.at(-1), '0 passed, 0 failed');
    const skipped = lines.slice(0, -1).filter((line) => line.startsWith('skipped: '));
    assert.deepEqual(skipped.toSorted(), ['skipped: a (no browser)', 'skipped: b (no reason given)', 'skipped: s c (no cluster)']);
    assert.equal(status, 0);
  });

  it('prints the number of skipped tests for each reason, for npm test', () => {
    const { lines } = report(`
      describe('s', () => { before(function () { skipTest(this, 'no server'); }); it('a', () => {}); it('b', () => {}); });
      it('c', function () { skipTest(this, 'no browser'); });`);
    const counts = lines.filter((line) => line.startsWith('skipped for: ')).map((line) => JSON.parse(line.slice('skipped for: '.length)));
    assert.deepEqual(
      counts.toSorted((a, b) => b.count - a.count),
      [
        { reason: 'no server', count: 2 },
        { reason: 'no browser', count: 1 },
      ],
    );
  });
});
