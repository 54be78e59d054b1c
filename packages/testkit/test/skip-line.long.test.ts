import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the summary of skipped tests in the output of npm test', () => {
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
