import assert from 'node:assert/strict';
import { takeHostOfTarget, targetOf } from '../../src/index.js';

describe('the head of a request', () => {
  it('has the path and the host of a target in absolute form, whatever its Host header says', () => {
    for (const [url, path, host] of [
      ['/v1/robots?x=1', '/v1/robots', 'given'],
      ['/http://evil.example/', '/http://evil.example/', 'given'],
      ['*', '*', 'given'],
      ['http://robots.example:8080/mcp?x=1', '/mcp', 'robots.example:8080'],
      ['HTTPS://[::1]/', '/', '[::1]'],
      ['http://robots.example', '/', 'robots.example'],
      ['http://robots.example@evil.example/', '/', 'robots.example@evil.example'],
      ['http:///path', '/path', ''],
    ] as const) {
      const headers = { host: 'given' };
      assert.equal(targetOf({ url }).path, path, url);
      takeHostOfTarget({ url, headers });
      assert.equal(headers.host, host, url);
    }
  });
});
