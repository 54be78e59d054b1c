import assert from 'node:assert/strict';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { retriesMs, settingsProblems, webhooksSettings } from '../src/config.js';

describe('settings of the webhooks service', () => {
  it('has the settings that docs/operate lists, with their defaults', () => {
    const rows = settingRows(webhooksSettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    assert.deepEqual(documentedSettings('webhooks'), rows);
  });

  it('parses retries as numbers, which last about a day by default', () => {
    const all = retriesMs(webhooksSettings.retryS.default)!;
    const hours = all.reduce((a, b) => a + b, 0) / 3_600_000;
    assert.ok(hours > 22 && hours < 26, `${hours} h`);
    assert.deepEqual(retriesMs(' 0.5, 2'), [500, 2000]);
    for (const wrong of ['', '5,', 'x', '-1', '1e3', '86401', Array(21).fill('1').join(',')]) assert.equal(retriesMs(wrong), null, wrong);
  });

  it('names the setting when its retries cannot be parsed', () => {
    const config = loadConfig(webhooksSettings, { PERCH_REDIS_URL: 'redis://127.0.0.1' });
    assert.deepEqual(settingsProblems(config), []);
    assert.deepEqual(settingsProblems({ ...config, retryS: '5,' }), [
      'PERCH_WEBHOOK_RETRY_S: must be up to 20 numbers of seconds, separated by commas',
    ]);
  });
});
