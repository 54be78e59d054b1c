import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commonSettings, ConfigError, defineSettings, loadConfig, settingRows } from '../src/index.js';

const settings = defineSettings({
  redisUrl: commonSettings.redisUrl,
  port: { env: 'PERCH_X_PORT', type: 'int', min: 1, max: 65_535, default: 8080, unit: 'ms', description: 'A port.' },
  mode: { env: 'PERCH_X_MODE', type: 'choice', choices: ['fast', 'slow'], default: 'fast', description: 'A mode.' },
  loud: { env: 'PERCH_X_LOUD', type: 'bool', default: false, description: 'A switch.' },
  page: { env: 'PERCH_X_PAGE', type: 'url', schemes: ['http', 'https'], default: null, description: 'A page.' },
  host: { env: 'PERCH_X_HOST', type: 'string', max: 20, default: 'localhost', description: 'A host.' },
});
const url = { PERCH_REDIS_URL: 'redis://127.0.0.1:6379' };

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(settings, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  throw new Error('the environment was accepted');
}

describe('loadConfig', () => {
  it('uses the defaults of settings that are unset or empty', () => {
    const config = loadConfig(settings, { ...url, PERCH_X_MODE: '', PERCH_X_PORT: ' ', PATH: '/bin' });
    const port: number = config.port;
    const mode: 'fast' | 'slow' = config.mode;
    const page: string | null = config.page;
    assert.deepEqual({ ...config }, { redisUrl: url.PERCH_REDIS_URL, port, mode, loud: false, page, host: 'localhost' });
    assert.deepEqual([port, mode, page], [8080, 'fast', null]);
  });

  it('returns each value with the type of its setting', () => {
    const config = loadConfig(settings, {
      ...url,
      PERCH_X_PORT: '65535',
      PERCH_X_MODE: 'slow',
      PERCH_X_LOUD: 'true',
      PERCH_X_PAGE: 'https://a.example/pair?x=1',
    });
    assert.equal(config.port, 65_535);
    assert.equal(config.mode, 'slow');
    assert.equal(config.loud, true);
    assert.equal(config.page, 'https://a.example/pair?x=1');
  });

  it('reports all wrong, unknown and missing variables in one error', () => {
    const problems = problemsOf({
      PERCH_X_PORT: '0',
      PERCH_X_MODE: 'mad',
      PERCH_X_LOUD: 'yes',
      PERCH_X_PAGE: 'ftp://a',
      PERCH_X_HOST: 'h'.repeat(21),
      PERCH_X_PROT: '1',
    });
    assert.deepEqual(
      problems.map((problem) => problem.split(':')[0]),
      ['PERCH_REDIS_URL', 'PERCH_X_PORT', 'PERCH_X_MODE', 'PERCH_X_LOUD', 'PERCH_X_PAGE', 'PERCH_X_HOST', 'PERCH_X_PROT'],
    );
    assert.match(problems[1]!, /whole number from 1 to 65535 ms/);
    assert.match(problems[2]!, /fast, slow/);
    assert.match(problems[6]!, /not a setting.*PERCH_X_PORT/);
  });

  it('ignores the variables that npm start prints for a shell, so that every service starts there', () => {
    const shell = { PERCH_BASE_URL: 'http://127.0.0.1:8080', PERCH_API_KEY: 'pk_secret', PERCH_ROBOT: 'r-0123456789' };
    assert.equal(loadConfig(settings, { ...url, ...shell }).port, 8080);
    assert.match(problemsOf({ ...url, ...shell, PERCH_ROBOTS: 'x' }).join(), /^PERCH_ROBOTS: not a setting[^,]*,/);
  });

  it('refuses a renamed setting with a sentence that names the new one', () => {
    assert.deepEqual(problemsOf({ ...url, PERCH_LINK_PROXIES: '1' }), [
      'PERCH_LINK_PROXIES: renamed to PERCH_TRUST_PROXY, the one setting of all services for this. Set PERCH_TRUST_PROXY instead.',
    ]);
  });

  for (const port of ['0', '65536', '1.5', '1e3', '0x10', 'x', '-1', '9'.repeat(30), 'NaN', '8080 8081']) {
    it(`refuses ${port} as a port`, () => {
      assert.equal(problemsOf({ ...url, PERCH_X_PORT: port }).length, 1);
    });
  }

  it('ignores PERCH_TEST_ variables and those of other programs', () => {
    assert.equal(loadConfig(settings, { ...url, PERCH_TEST_REDIS_URL: 'x', PERCHED: 'y', HOME: '/' }).port, 8080);
  });

  it('accepts a Redis Cluster URL with a list of nodes, and refuses a list with an invalid node', () => {
    const nodes = 'redis-cluster://127.0.0.1:7000,127.0.0.1:7001,[::1]:7002';
    assert.equal(loadConfig(settings, { PERCH_REDIS_URL: nodes }).redisUrl, nodes);
    assert.equal(problemsOf({ PERCH_REDIS_URL: 'redis-cluster://127.0.0.1:7000,127.0.0.1:x' }).length, 1);
    assert.equal(problemsOf({ PERCH_REDIS_URL: '127.0.0.1:6379' }).length, 1);
  });

  it('does not repeat the value of a wrong URL, which may contain a password, in the error', () => {
    assert.doesNotMatch(problemsOf({ PERCH_REDIS_URL: 'http://user:hunter2@host' }).join(), /hunter2/);
  });

  it('names enableServiceLinks when Kubernetes has set a port variable to a service link', () => {
    assert.match(problemsOf({ ...url, PERCH_X_PORT: 'tcp://10.0.0.7:8080' })[0]!, /enableServiceLinks/);
  });

  it('returns a row for the tables of docs/operate for every setting', () => {
    const rows = settingRows(settings);
    assert.equal(rows.length, Object.keys(settings).length);
    assert.deepEqual(rows[0], {
      env: 'PERCH_REDIS_URL',
      type: 'url',
      default: 'required',
      values: 'redis://, rediss://, redis-sentinel://, rediss-sentinel://, redis-cluster://, rediss-cluster://',
      unit: '',
      description: `${settings.redisUrl.description} PERCH_REDIS_URL_FILE can name a file that contains it instead.`,
    });
    assert.deepEqual(rows.map((row) => [row.default, row.values]).slice(1), [
      ['8080', '1..65535'],
      ['fast', 'fast, slow'],
      ['false', 'true, false'],
      ['-', 'http://, https://'],
      ['localhost', ''],
    ]);
  });

  describe('with a secret setting', () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-settings-'))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    const file = (text: string): string => {
      const path = join(folder, 'secret');
      writeFileSync(path, text);
      return path;
    };

    it('reads a secret from the file that NAME_FILE names, without the final newline', () => {
      for (const end of ['', '\n', '\r\n'])
        assert.equal(loadConfig(settings, { PERCH_REDIS_URL_FILE: file(`redis://u:p@127.0.0.1${end}`) }).redisUrl, 'redis://u:p@127.0.0.1');
    });

    it('refuses NAME together with NAME_FILE', () => {
      assert.deepEqual(problemsOf({ ...url, PERCH_REDIS_URL_FILE: file('redis://127.0.0.1') }), [
        'PERCH_REDIS_URL: set together with PERCH_REDIS_URL_FILE; set one of them',
      ]);
    });

    it('refuses a secret file that is missing, empty, not a regular file or too large, and names the variable', () => {
      assert.deepEqual(problemsOf({ PERCH_REDIS_URL_FILE: join(folder, 'none') }), ['PERCH_REDIS_URL_FILE: the file cannot be read (ENOENT)']);
      assert.deepEqual(problemsOf({ PERCH_REDIS_URL_FILE: file('\n') }), ['PERCH_REDIS_URL_FILE: the file is empty']);
      assert.deepEqual(problemsOf({ PERCH_REDIS_URL_FILE: folder }), ['PERCH_REDIS_URL_FILE: does not name a regular file']);
      assert.deepEqual(problemsOf({ PERCH_REDIS_URL_FILE: file('x'.repeat(1_048_577)) }), ['PERCH_REDIS_URL_FILE: the file is larger than 1 MB']);
    });

    it('does not repeat the content of a secret file in the error', () => {
      const problems = problemsOf({ PERCH_REDIS_URL_FILE: file('hunter2') });
      assert.match(problems[0]!, /^PERCH_REDIS_URL_FILE: must be a URL/);
      assert.doesNotMatch(problems.join(), /hunter2/);
    });

    it('refuses NAME_FILE of a setting that is not secret', () => {
      assert.match(problemsOf({ ...url, PERCH_X_HOST_FILE: file('x') })[0]!, /^PERCH_X_HOST_FILE: not a setting/);
    });
  });

  it('ignores unknown PERCH_ variables with the option `others: pass`', () => {
    assert.equal(loadConfig(settings, { ...url, PERCH_API_KEY: 'x' }, { others: 'pass' }).port, 8080);
  });
});
