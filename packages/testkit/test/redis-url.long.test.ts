import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** In a separate process, so that it cannot use the server of the test run. */
function urlInOtherProcess(env: Record<string, string>): { url: string; stderr: string; status: number | null } {
  const program = `import('@perch/testkit').then(async ({redisUrl}) => process.stdout.write(await redisUrl() + (await redisUrl())))`;
  const cwd = new URL('..', import.meta.url);
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERCH_TEST_')));
  const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, '-e', program], {
    cwd,
    env: { ...clean, DOCKER_HOST: 'tcp://127.0.0.1:1', ...env },
    encoding: 'utf8',
  });
  return { url: stdout, stderr, status };
}

const noServer = { PATH: '/nowhere', PERCH_TEST_CACHE: '/nowhere' };

describe('redisUrl', () => {
  it('prefers PERCH_TEST_REDIS_URL to all other choices, and reports it once', () => {
    const { url, stderr } = urlInOtherProcess({ PERCH_TEST_REDIS_URL: 'redis://127.0.0.1:7', PERCH_TEST_REDIS: 'embedded' });
    assert.equal(url, 'redis://127.0.0.1:7'.repeat(2));
    assert.equal(stderr.match(/Redis for tests/g)?.length, 1);
  });

  it('falls back to the embedded Redis if there is no redis-server', () => {
    const { url, stderr, status } = urlInOtherProcess(noServer);
    assert.match(url, /^redis:\/\/127\.0\.0\.1:\d+/);
    assert.match(stderr, /embedded/);
    assert.equal(status, 0);
  });

  it('rejects instead of using the embedded Redis with PERCH_TEST_REQUIRE_REDIS=1', () => {
    const { url, stderr, status } = urlInOtherProcess({ ...noServer, PERCH_TEST_REQUIRE_REDIS: '1' });
    assert.equal(url, '');
    assert.match(stderr, /PERCH_TEST_REQUIRE_REDIS=1/);
    assert.equal(status, 1);
  });

  it('starts one server for all callers', () => {
    const { url } = urlInOtherProcess({ PERCH_TEST_REDIS: 'embedded' });
    assert.equal(url.slice(0, url.length / 2), url.slice(url.length / 2));
  });
});
