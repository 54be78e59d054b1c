import assert from 'node:assert/strict';
import { settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { gatewaySettings } from '../src/config.js';

describe('settings of the gateway', () => {
  it('are the ones docs/operate.md lists, with their defaults', () => {
    const rows = settingRows(gatewaySettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    assert.deepEqual(documentedSettings('gateway'), rows);
  });
});
