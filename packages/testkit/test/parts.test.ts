import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runner = new URL('../../../scripts/parts.mjs', import.meta.url).href;

interface Part {
  name: string;
  title: string;
  seconds: number;
  command: string[];
  reports?: number;
}

interface Run {
  lines: string[];
  code: number | null;
  err: string;
}

const run = (parts: Part[], ...args: string[]): Run => runWith('{}', parts, ...args);

/** @param options source of the options of `runParts` */
function runWith(options: string, parts: Part[], ...args: string[]): Run {
  const script = `
    import { runParts } from '${runner}';
    process.exitCode = await runParts(${JSON.stringify(parts)}, ${JSON.stringify(args)}, ${options});`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  return { lines: stdout.trimEnd().split('\n'), code: status, err: stderr };
}

const part = (name: string, script: string, seconds = 20): Part => ({ name, title: `the part ${name}`, seconds, command: ['sh', '-c', script] });
const good = part('good', 'echo a line; echo "3 passed, 0 failed"');

describe('the parts of .ci/run', () => {
  it('adds up the counts of all parts, prints each with its duration at the end, and repeats its failures there', () => {
    const { lines, code } = run([good, part('bad', 'echo "failed: a test (Error)"; echo "2 passed, 1 failed"; exit 1')]);
    assert.equal(code, 1);
    assert.deepEqual(lines.slice(0, 4), ['== good: the part good', 'a line', '== bad: the part bad', '']);
    assert.match(
      lines.slice(4).join('\n'),
      /^== good: 3 passed, 0 failed, \d s of at most 60 s\n== bad: 2 passed, 1 failed, \d s .*\nfailed: a test \(Error\)\n5 passed, 1 failed$/,
    );
    assert.equal(run([good]).code, 0);
  });

  it('ends a part that takes three times its measured duration, counts one failure and names the part', () => {
    const began = performance.now();
    const { lines, code } = run([part('slow', 'echo "9 passed, 0 failed"; sleep 300', 0.2), good]);
    assert.ok(performance.now() - began < 60_000);
    assert.equal(code, 1);
    assert.ok(
      lines.some((line) => line.startsWith('failed: the part slow had not ended after ')),
      lines.join('\n'),
    );
    assert.equal(lines.at(-1), '12 passed, 1 failed');
  });

  it('counts a part that cannot be started, prints no counts, runs nothing or ends with an exit code although nothing failed', () => {
    const missing = { ...good, name: 'missing', command: ['perch-has-no-such-program'] };
    const { lines } = run([
      missing,
      part('mute', 'true'),
      part('empty', 'echo "0 passed, 0 failed"'),
      part('odd', 'echo "1 passed, 0 failed"; exit 4'),
    ]);
    const failures = lines.filter((line) => line.startsWith('failed: '));
    assert.match(
      failures.join('\n'),
      /missing could not be started: .*ENOENT\n.*mute printed no counts .*\n.*empty ran nothing\n.*odd ended with 4, although/,
    );
    assert.equal(lines.at(-1), '1 passed, 4 failed');
  });

  it('counts a command without counts as one test by its exit code, and prints the end of its report again', () => {
    const reports = { reports: 2 };
    const { lines } = run([
      { ...part('holds', 'echo one; echo two; echo three'), ...reports },
      { ...part('breaks', 'echo lost; exit 1'), ...reports },
    ]);
    assert.match(
      lines.join('\n'),
      /^== holds: 1 passed, 0 failed, .*\ntwo\nthree\n== breaks: 0 passed, 1 failed, .*\nlost\nfailed: the part breaks ended with 1\n1 passed, 1 failed$/m,
    );
  });

  it('runs two parts at a time where the list says so, names the part of each line, and prints the results in the order of the list', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-parts-'));
    try {
      const meets = (own: string, other: string): string =>
        `touch ${folder}/${own}; until [ -e ${folder}/${other} ]; do sleep 0.05; done; echo met; echo "1 passed, 0 failed"`;
      const { lines, code } = runWith('{ atATime: 2 }', [part('a', meets('a', 'b')), part('b', meets('b', 'a')), good]);
      assert.equal(code, 0);
      assert.deepEqual(lines.filter((line) => line.endsWith(' met') || line.endsWith(' a line')).toSorted(), ['a: met', 'b: met', 'good: a line']);
      assert.match(lines.slice(-4).join('\n'), /^== a: 1 passed.*\n== b: 1 passed.*\n== good: 3 passed.*\n5 passed, 0 failed$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('runs no part, and fails, where the clone cannot be set up', () => {
    const { lines, code } = runWith("{ prepare: async () => 'build' }", [good]);
    assert.deepEqual([lines, code], [['failed: set-up: build', '0 passed, 1 failed'], 1]);
  });

  it('runs the parts that --only names, and refuses a name that no part has', () => {
    const other = part('other', 'echo "5 passed, 0 failed"');
    assert.equal(run([good, other], '--only', 'other').lines.at(-1), '5 passed, 0 failed');
    const { code, err } = run([good, other], '--only', 'nothing');
    assert.deepEqual([code, err], [64, 'nothing: no such part; there are good, other\n']);
  });

  it('runs from .ci/run, which passes its arguments on', () => {
    assert.match(readFileSync(`${root}/.ci/run`, 'utf8'), /^exec node scripts\/gate\.mjs "\$@"$/m);
  });
});
