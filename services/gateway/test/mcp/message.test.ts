import assert from 'node:assert/strict';
import { asRequest, eraOf, newestRevision, progressTokenOf } from '../../src/mcp/message.js';

const accept = 'application/json, text/event-stream';
const meta = {
  'io.modelcontextprotocol/protocolVersion': newestRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernHeaders = { accept, 'mcp-protocol-version': newestRevision, 'mcp-method': 'tools/call', 'mcp-name': 'robot_leds' };
const call = (more: object = {}) => ({ id: 1, method: 'tools/call', params: { name: 'robot_leds', arguments: {}, ...more } });

describe('messages of /mcp', () => {
  it('a request is an object with jsonrpc 2.0, an id and a method; params may be left out', () => {
    assert.deepEqual(asRequest({ jsonrpc: '2.0', id: 'a', method: 'ping' }), { id: 'a', method: 'ping', params: {} });
    assert.deepEqual(asRequest({ jsonrpc: '2.0', id: 0, method: 'm', params: { a: 1 } }), { id: 0, method: 'm', params: { a: 1 } });
    for (const body of [
      null,
      [],
      'x',
      {},
      { jsonrpc: '1.0', id: 1, method: 'm' },
      { jsonrpc: '2.0', method: 'm' },
      { jsonrpc: '2.0', id: null, method: 'm' },
    ])
      assert.equal(asRequest(body), null, JSON.stringify(body));
    for (const id of [1.5, true, {}, Infinity]) assert.equal(asRequest({ jsonrpc: '2.0', id, method: 'm' }), null);
    for (const params of [[], 'x', null, 3]) assert.equal(asRequest({ jsonrpc: '2.0', id: 1, method: 'm', params }), null);
  });

  it('a call without a claim is of 2025, with a revision of then or with none', () => {
    for (const version of [undefined, '2025-03-26', '2025-06-18', '2025-11-25']) {
      assert.equal(eraOf({ accept, ...(version === undefined ? {} : { 'mcp-protocol-version': version }) }, call(), 'robot_leds'), 'legacy');
    }
    assert.equal(eraOf({ accept }, call({ _meta: { progressToken: 1 } }), 'robot_leds'), 'legacy');
  });

  it('a call that says its revision in the body and in all three headers is of the newest', () => {
    assert.equal(eraOf(modernHeaders, call({ _meta: meta }), 'robot_leds'), 'modern');
  });

  it('whatever else is looked at by the SDK', () => {
    const claimed = call({ _meta: meta });
    for (const header of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
      assert.equal(eraOf({ ...modernHeaders, [header]: undefined }, claimed, 'robot_leds'), null, header);
      assert.equal(eraOf({ ...modernHeaders, [header]: 'other' }, claimed, 'robot_leds'), null, header);
    }
    for (const key of Object.keys(meta)) assert.equal(eraOf(modernHeaders, call({ _meta: { ...meta, [key]: 7 } }), 'robot_leds'), null, key);
    assert.equal(eraOf(modernHeaders, call(), 'robot_leds'), null, 'a header of the newest without its claim');
    assert.equal(eraOf({ accept, 'mcp-protocol-version': '1999-01-01' }, call(), 'robot_leds'), null);
    assert.equal(eraOf({ accept: 'application/json' }, call(), 'robot_leds'), null);
    assert.equal(eraOf({}, call(), 'robot_leds'), null);
  });

  it('a progress token is a string or a whole number', () => {
    assert.equal(progressTokenOf({ _meta: { progressToken: 0 } }), 0);
    assert.equal(progressTokenOf({ _meta: { progressToken: 'p' } }), 'p');
    for (const _meta of [undefined, null, 'x', {}, { progressToken: {} }, { progressToken: 1.5 }]) assert.equal(progressTokenOf({ _meta }), null);
  });
});
