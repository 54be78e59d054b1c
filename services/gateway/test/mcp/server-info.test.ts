import assert from 'node:assert/strict';
import { release } from '@perch/schema';
import { resultMembers, serverInfo, toolsResult } from '../../src/mcp/message.js';

describe('the list of tools', () => {
  it('tools/list is answered in at most 24,000 bytes in both eras, the message around the list counted', () => {
    for (const [era, result] of Object.entries(toolsResult)) {
      const message = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
      assert.equal(JSON.parse(message).result.tools.length, 18, era);
      assert.ok(Buffer.byteLength(message) <= 24_000, `${era}: ${Buffer.byteLength(message)} bytes`);
    }
  });
});

describe('serverInfo', () => {
  it('has the version of the product, by which clients and their users report problems, in both eras', () => {
    assert.equal(serverInfo.version, release);
    const { _meta } = JSON.parse(`{${resultMembers.modern.slice(1)}}`) as { _meta: Record<string, { version: string }> };
    assert.deepEqual(
      Object.values(_meta).map(({ version }) => version),
      [release],
    );
  });
});
