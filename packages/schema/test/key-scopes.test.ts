import assert from 'node:assert/strict';
import { actions, scopesOf } from '../src/index.js';

/** What docs/programs.md promises; a call in no list needs no scope. */
const promised: Readonly<Record<string, readonly string[]>> = {
  read: ['robots', 'state', 'events', 'screen', 'activity'],
  act: ['show', 'say', 'face', 'move', 'leds', 'sound', 'speak', 'command', 'stop', 'pictures'],
  ask: ['ask', 'menu', 'clickmap', 'waits'],
};

describe('the scopes that a call needs', () => {
  for (const [scope, calls] of Object.entries(promised))
    it(`${scope}: ${calls.join(', ')}`, () => {
      for (const call of calls) assert.deepEqual(scopesOf(call), [scope], call);
    });

  it('every action has one', () => {
    const listed = new Set(Object.values(promised).flat());
    for (const { name } of actions) assert.ok(listed.has(name), name);
  });

  it('webhooks need read and act; descriptions and previews none', () => {
    assert.deepEqual(scopesOf('webhooks'), ['read', 'act']);
    for (const call of ['actions', 'icons', 'openapi', 'preview', 'mcp', 'constructor']) assert.deepEqual(scopesOf(call), [], call);
  });
});
