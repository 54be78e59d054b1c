import assert from 'node:assert/strict';
import { documentedSettings } from '@perch/testkit';
import { environmentOf, redisEnvironment, unknownSettings } from '../src/service-process.js';

const env = {
  PATH: '/bin',
  PERCH_LOG_LEVEL: 'debug',
  PERCH_GATEWAY_PORT: '1',
  PERCH_LINK_PORT: '2',
  PERCH_TRUST_PROXY: '1',
  PERCH_RENDER_CONCURRENCY: '3',
  PERCH_WEBHOOK_RETRY_S: '4',
  PERCH_REDIS_URL: 'x',
  PERCH_TEST_REDIS_URL: 'y',
  PERCH_BASE_URL: 'z',
  PERCH_API_KEY: 'z',
  PERCH_ROBOT: 'z',
};

describe('the environment of a service', () => {
  it('contains the common settings and those of the service, and not those of other services', () => {
    assert.deepEqual(environmentOf('gateway', env), { PATH: '/bin', PERCH_LOG_LEVEL: 'debug', PERCH_GATEWAY_PORT: '1', PERCH_TRUST_PROXY: '1' });
    assert.deepEqual(environmentOf('robot-link', env), { PATH: '/bin', PERCH_LOG_LEVEL: 'debug', PERCH_LINK_PORT: '2', PERCH_TRUST_PROXY: '1' });
    assert.deepEqual(environmentOf('renderer', env), { PATH: '/bin', PERCH_LOG_LEVEL: 'debug', PERCH_RENDER_CONCURRENCY: '3' });
    assert.deepEqual(environmentOf('webhooks', env), { PATH: '/bin', PERCH_LOG_LEVEL: 'debug', PERCH_WEBHOOK_RETRY_S: '4' });
  });

  for (const service of ['gateway', 'robot-link', 'renderer', 'webhooks'] as const) {
    it(`contains every setting that docs/operate lists for the ${service}, except those that the launcher sets itself`, () => {
      const known = documentedSettings(service)
        .map(({ env: name }) => name)
        .filter((name) => !name.startsWith('PERCH_REDIS_') && name !== 'PERCH_ADMIN_PORT');
      assert.ok(known.length > 3);
      const all = Object.fromEntries(known.map((name) => [name, '1']));
      assert.deepEqual(Object.keys(environmentOf(service, all)).toSorted(), known.toSorted());
      assert.deepEqual(unknownSettings(all), []);
    });
  }

  it('contains every PERCH_REDIS_ setting that fits the URL, the files of secrets included, and no other', () => {
    const files = { PERCH_REDIS_CA_FILE: 'ca', PERCH_REDIS_CERT_FILE: 'cert', PERCH_REDIS_KEY_FILE: 'key' };
    const sentinel = { PERCH_REDIS_SENTINEL_PASSWORD_FILE: 'file' };
    const given = { ...env, ...files, ...sentinel, PERCH_REDIS_URL_FILE: 'url' };
    const known = documentedSettings('gateway').flatMap(({ env: name }) => (name.startsWith('PERCH_REDIS_') ? [name] : []));
    assert.deepEqual(unknownSettings({ ...given, ...Object.fromEntries(known.map((name) => [name, '1'])) }), []);
    for (const [url, expected] of [
      ['redis://a', {}],
      ['rediss-cluster://a', files],
      ['redis-sentinel://a/m', sentinel],
      ['rediss-sentinel://a/m', { ...files, ...sentinel }],
    ] as const)
      assert.deepEqual(redisEnvironment(url, given), { PERCH_REDIS_URL: url, ...expected });
  });

  it('reports PERCH_ variables that no service knows', () => {
    assert.deepEqual(unknownSettings(env), []);
    assert.deepEqual(unknownSettings({ ...env, PERCH_GATEWY_PORT: '1' }), ['PERCH_GATEWY_PORT']);
  });
});
