import assert from 'node:assert/strict';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { probeSettings, settingsProblems } from '../src/config.js';

const least = { PERCH_BASE_URL: 'https://perch.example.org', PERCH_PROBE_API_KEY: 'pk_secret', PERCH_PROBE_ROBOT_TOKEN: 'rt_secret' };

describe('settings of the probe', () => {
  it('has the settings that the documents list, with their defaults', () => {
    const rows = settingRows(probeSettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    const own = new Set(rows.map(({ env }) => env));
    const documented = documentedSettings('probe');
    const byName = (a: { env: string }, b: { env: string }): number => a.env.localeCompare(b.env);
    assert.deepEqual(documented.filter(({ env }) => own.has(env)).toSorted(byName), rows.toSorted(byName));
    // The others are those of the services that share Redis.
    assert.deepEqual(documented.filter(({ env }) => /BASE_URL|LINK_PUBLIC|PROBE/.test(env)).toSorted(byName), rows.slice(3).toSorted(byName));
  });

  it('needs the address of Perch, a key and the token of a robot, and no Redis', () => {
    assert.deepEqual(settingsProblems(loadConfig(probeSettings, least)), []);
    for (const name of Object.keys(least)) assert.throws(() => loadConfig(probeSettings, { ...least, [name]: '' }), new RegExp(`${name}: not set`));
  });

  it('refuses a time limit above the interval, at which checks would overlap, and an interval at which 5 minutes have no question', () => {
    assert.deepEqual(settingsProblems({ intervalMs: 5000, timeoutMs: 5000 }), []);
    assert.throws(() => loadConfig(probeSettings, { ...least, PERCH_PROBE_INTERVAL_MS: '60001' }), /PERCH_PROBE_INTERVAL_MS: must be/);
    assert.match(settingsProblems({ intervalMs: 5000, timeoutMs: 5001 })[0]!, /^PERCH_PROBE_TIMEOUT_MS: .*PERCH_PROBE_INTERVAL_MS/);
  });
});
