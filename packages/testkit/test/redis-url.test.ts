import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Asks for the URL in a process of its own with this environment, where it cannot meet the run's own server. */
function askElsewhere(env: Record<string, string>): { url: string; stderr: string; status: number | null } {
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
  it('takes PERCH_TEST_REDIS_URL before anything else, and says so once', () => {
    const { url, stderr } = askElsewhere({ PERCH_TEST_REDIS_URL: 'redis://127.0.0.1:7', PERCH_TEST_REDIS: 'embedded' });
    assert.equal(url, 'redis://127.0.0.1:7'.repeat(2));
    assert.equal(stderr.match(/Redis for tests/g)?.length, 1);
  });

  it('falls back to the embedded one where there is no redis-server', () => {
    const { url, stderr, status } = askElsewhere(noServer);
    assert.match(url, /^redis:\/\/127\.0\.0\.1:\d+/);
    assert.match(stderr, /embedded/);
    assert.equal(status, 0);
  });

  it('does not fall back silently with PERCH_TEST_REQUIRE_REDIS=1', () => {
    const { url, stderr, status } = askElsewhere({ ...noServer, PERCH_TEST_REQUIRE_REDIS: '1' });
    assert.equal(url, '');
    assert.match(stderr, /PERCH_TEST_REQUIRE_REDIS=1/);
    assert.equal(status, 1);
  });

  it('starts one server for all who ask', () => {
    const { url } = askElsewhere({ PERCH_TEST_REDIS: 'embedded' });
    assert.equal(url.slice(0, url.length / 2), url.slice(url.length / 2));
  });
});
