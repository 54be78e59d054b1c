import assert from 'node:assert/strict';
import { eraOf } from '../../src/mcp/direct-calls.js';
import { asRequest, newestRevision, progressTokenOf } from '../../src/mcp/message.js';
import { newestMeta } from './mcp-requests.js';

const accept = 'application/json, text/event-stream';
const modernHeaders = { accept, 'mcp-protocol-version': newestRevision, 'mcp-method': 'tools/call', 'mcp-name': 'robot_leds' };
const call = (more: object = {}) => ({ id: 1, method: 'tools/call', params: { name: 'robot_leds', arguments: {}, ...more } });

describe('messages of /mcp', () => {
  it('parses an object with jsonrpc 2.0, an id and a method as a request, with params optional', () => {
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

  it('assigns a call without a revision in its body to the legacy era, with or without a 2025 version header', () => {
    for (const version of [undefined, '2025-03-26', '2025-06-18', '2025-11-25']) {
      assert.equal(eraOf({ accept, ...(version === undefined ? {} : { 'mcp-protocol-version': version }) }, call(), 'robot_leds'), 'legacy');
    }
    assert.equal(eraOf({ accept }, call({ _meta: { progressToken: 1 } }), 'robot_leds'), 'legacy');
  });

  it('assigns a call that states the newest revision in its body and in all three headers to the modern era', () => {
    assert.equal(eraOf(modernHeaders, call({ _meta: newestMeta }), 'robot_leds'), 'modern');
  });

  it('leaves a call with a missing or inconsistent header to the SDK', () => {
    const complete = call({ _meta: newestMeta });
    for (const header of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
      assert.equal(eraOf({ ...modernHeaders, [header]: undefined }, complete, 'robot_leds'), null, header);
      assert.equal(eraOf({ ...modernHeaders, [header]: 'other' }, complete, 'robot_leds'), null, header);
    }
    for (const key of Object.keys(newestMeta))
      assert.equal(eraOf(modernHeaders, call({ _meta: { ...newestMeta, [key]: 7 } }), 'robot_leds'), null, key);
    assert.equal(eraOf(modernHeaders, call(), 'robot_leds'), null, 'a header of the newest revision without it in the body');
    assert.equal(eraOf({ accept, 'mcp-protocol-version': '1999-01-01' }, call(), 'robot_leds'), null);
    assert.equal(eraOf({ accept: 'application/json' }, call(), 'robot_leds'), null);
    assert.equal(eraOf({}, call(), 'robot_leds'), null);
  });

  it('accepts a string or an integer as progress token', () => {
    assert.equal(progressTokenOf({ _meta: { progressToken: 0 } }), 0);
    assert.equal(progressTokenOf({ _meta: { progressToken: 'p' } }), 'p');
    for (const _meta of [undefined, null, 'x', {}, { progressToken: {} }, { progressToken: 1.5 }]) assert.equal(progressTokenOf({ _meta }), null);
  });
});
