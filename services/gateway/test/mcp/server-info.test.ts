import assert from 'node:assert/strict';
import { toolsResult } from '../../src/mcp/server-info.js';

describe('the list of tools', () => {
  it('tools/list is answered in at most 20,000 bytes in both eras, the message around the list counted', () => {
    for (const [era, result] of Object.entries(toolsResult)) {
      const message = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
      assert.equal(JSON.parse(message).result.tools.length, 18, era);
      assert.ok(Buffer.byteLength(message) <= 20_000, `${era}: ${Buffer.byteLength(message)} bytes`);
    }
  });
});
