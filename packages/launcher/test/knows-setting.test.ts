import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knowsSetting } from '../src/service-process.js';

describe('knowsSetting', () => {
  it('finds the settings of a built service', () => {
    assert.equal(knowsSetting('robot-link', 'PERCH_LINK_BALANCE'), true);
    assert.equal(knowsSetting('robot-link', 'PERCH_LINK_PROXIES_MAX'), false);
  });

  it('finds the settings of a release that is not bundled', () => {
    const root = mkdtempSync(join(tmpdir(), 'perch-release-'));
    try {
      const dist = join(root, 'services/robot-link/dist');
      mkdirSync(dist, { recursive: true });
      writeFileSync(join(dist, 'main.js'), "import { settings } from './config.js';");
      writeFileSync(join(dist, 'config.js'), "export const settings = { linkPort: ['PERCH_LINK_PORT'] };");
      assert.equal(knowsSetting('robot-link', 'PERCH_LINK_PORT', root), true);
      assert.equal(knowsSetting('robot-link', 'PERCH_LINK_BALANCE', root), false);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
