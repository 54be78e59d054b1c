import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings } from '../src/settings.js';

describe('the settings of Redis', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'perch-redis-settings-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      return redisProblems(loadConfig(redisSettings, env));
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.problems;
    }
  };
  const file = (text: string): string => {
    const path = join(folder, 'file.pem');
    writeFileSync(path, text);
    return path;
  };

  for (const url of [
    'redis://127.0.0.1',
    'redis://user:pass%2C@127.0.0.1:6379/2',
    'rediss://user:pass@redis.example:6380',
    'redis-sentinel://127.0.0.1:26379,127.0.0.2:26379/mymaster',
    'redis-sentinel://user:pass@a:1,b:2,[::1]:3/my-master.1/2',
    'rediss-sentinel://a/mymaster',
    'redis-cluster://user:pass@a:1,b:2',
    'rediss-cluster://a:1',
  ]) {
    it(`accepts ${url}`, () => assert.deepEqual(problemsOf({ PERCH_REDIS_URL: url }), []));
  }

  for (const [url, why] of [
    ['redis-sentinel://a:1,b:2', /name of the master/],
    ['redis-sentinel://a:1,b:2/', /name of the master/],
    ['redis-sentinel://a:1/mymaster/x', /name of the master/],
    ['redis-sentinel://u:p@a:1,u:p@b:2/mymaster', /user and password once/],
    ['redis-cluster://a:1/3', /only database 0/],
    ['redis://a:1,b:2', /one host/],
    ['redis://u:50%off@a:1', /percent-encoded/],
    ['redis-cluster://u:50%off@a:1', /percent-encoded/],
    ['redis+sentinel://a:1/mymaster', /must be a URL that begins with/],
    // Secrets of 32 random bytes in base64, as they are.
    ['redis://perch:12/secret+cd=@a:1', /percent-encoded: \/ is %2F/],
    ['redis://perch:ab/secret@a:1', /percent-encoded/],
    ['redis://perch:p@ss#w/secret%1@a:1', /percent-encoded/],
    ['redis://perch:p?secret@a:1', /percent-encoded/],
    ['redis-cluster://perch:1/secret@a:1,b:2', /percent-encoded/],
  ] as const) {
    it(`refuses ${url} and names the setting`, () => {
      const [problem = ''] = problemsOf({ PERCH_REDIS_URL: url });
      assert.match(problem, /^PERCH_REDIS_URL: /);
      assert.match(problem, why);
      assert.doesNotMatch(problem, /secret/);
    });
  }

  it('refuses certificates for a URL without TLS, and a Sentinel password without Sentinels', () => {
    assert.match(problemsOf({ PERCH_REDIS_URL: 'redis://a', PERCH_REDIS_CA_FILE: file('x') })[0]!, /^PERCH_REDIS_CA_FILE: set, though .* no TLS/);
    assert.match(
      problemsOf({ PERCH_REDIS_URL: 'rediss://a', PERCH_REDIS_SENTINEL_PASSWORD: 'x' })[0]!,
      /^PERCH_REDIS_SENTINEL_PASSWORD: set, though/,
    );
  });

  it('refuses files without a certificate or key, and a certificate without its key, and does not repeat their content', () => {
    const tls = { PERCH_REDIS_URL: 'rediss://a' };
    const wrong = file('hunter2');
    assert.deepEqual(problemsOf({ ...tls, PERCH_REDIS_CA_FILE: wrong }), ['PERCH_REDIS_CA_FILE: the file contains no certificate in PEM form.']);
    assert.deepEqual(problemsOf({ ...tls, PERCH_REDIS_CERT_FILE: wrong, PERCH_REDIS_KEY_FILE: wrong }), [
      'PERCH_REDIS_CERT_FILE: the file contains no certificate in PEM form.',
      'PERCH_REDIS_KEY_FILE: the file contains no private key in PEM form.',
    ]);
    assert.match(problemsOf({ ...tls, PERCH_REDIS_CERT_FILE: wrong })[0]!, /^PERCH_REDIS_KEY_FILE: not set/);
    assert.match(problemsOf({ ...tls, PERCH_REDIS_CA_FILE: join(folder, 'none') })[0]!, /^PERCH_REDIS_CA_FILE: the file cannot be read/);
  });

  it('passes the contents of the files to the store', () => {
    const config = loadConfig(redisSettings, {
      PERCH_REDIS_URL: 'rediss-sentinel://a/m',
      PERCH_REDIS_SENTINEL_PASSWORD: 'p',
      PERCH_REDIS_CA_FILE: file('ca\n'),
    });
    assert.deepEqual(redisAccess(config), {
      url: 'rediss-sentinel://a/m',
      tls: { ca: 'ca', cert: null, key: null },
      sentinelPassword: 'p',
      allowEviction: false,
    });
  });
});
