import assert from 'node:assert/strict';
import { settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { rendererSettings } from '../src/config.js';

describe('settings of the renderer', () => {
  it('has the settings that docs/operate lists, with their defaults', () => {
    const rows = settingRows(rendererSettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    assert.deepEqual(documentedSettings('renderer'), rows);
  });
});
