import assert from 'node:assert/strict';
import { deviceName } from '../../src/console/auth/device-cookie.js';

describe('the name of a device', () => {
  const agents = {
    'Chrome on Windows': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Microsoft Edge on Windows':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Safari on macOS': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on iOS':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Chrome on Android': 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  };
  for (const [name, agent] of Object.entries(agents)) it(`is ${name} for its user agent`, () => assert.equal(deviceName(agent), name));

  it('the name of a device is null without a user agent', () => assert.equal(deviceName(''), null));

  it('stays short for a user agent that names an unknown browser', () => {
    for (const agent of [`${'x'.repeat(250)}/1.0 (y) `, `Mozilla/5.0 (${'('.repeat(250)}`, '/'.repeat(300), ' '.repeat(300), '\u0000'])
      assert.ok((deviceName(agent) ?? '').length <= 84, agent);
  });
});
