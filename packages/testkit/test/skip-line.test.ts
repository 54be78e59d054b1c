import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const skipLine = new URL('../../../scripts/skip-line.mjs', import.meta.url).href;
const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the summary of skipped and left out tests in npm test', () => {
  const lineOf = (skips: object[]): string[] => {
    const script = `import { skipLine } from '${skipLine}'; process.stdout.write(JSON.stringify(skipLine(${JSON.stringify(skips)})));`;
    return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
  };

  it('lists each reason once with its count in one line, the most frequent first', () => {
    const skips = [
      { reason: 'no browser', count: 1 },
      { reason: 'no\nserver', count: 2 },
      { reason: 'no\nserver', count: 40 },
    ];
    assert.deepEqual(lineOf(skips), ['skipped: 43 tests (42: no server; 1: no browser)']);
    assert.deepEqual(lineOf([]), []);
  });

  it('counts the files of long tests that did not run in a line, and prints none if all ran', () => {
    const lineOfFiles = (files: string[]): string[] => {
      const script = `import { leftOutLine } from '${skipLine}'; process.stdout.write(JSON.stringify(leftOutLine(${JSON.stringify(files)})));`;
      return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
    };
    assert.deepEqual(lineOfFiles(['a.long.test.ts', 'b.long.test.ts']), ['left out: 2 files of long tests (npm test -- --long runs them)']);
    assert.deepEqual(lineOfFiles([]), []);
  });

  it('prints the summary of skipped tests directly before the counts', function () {
    this.timeout(120_000);
    const args = ['scripts/test.mjs', 'packages/testkit/test/redis-cluster.redis.test.ts', 'packages/testkit/test/until.test.ts'];
    const { stdout } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, PERCH_TEST_REDIS: 'embedded', PERCH_TEST_REQUIRE_REDIS: '' },
    });
    const [skipped, counts] = stdout.trimEnd().split('\n').slice(-2);
    assert.equal(skipped, "skipped: 2 tests (2: a Redis server of the test's own is needed: PERCH_TEST_REDIS=embedded)");
    assert.match(counts!, /^[1-9]\d* passed, 0 failed$/);
  });
});
