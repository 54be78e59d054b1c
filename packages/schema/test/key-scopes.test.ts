import assert from 'node:assert/strict';
import { actions, defaultScopes, keyScopes, requireScopes, scopesOf, scopesWithin } from '../src/index.js';

/** What docs/programs.md promises; a call in no list needs no scope. */
const promised: Readonly<Record<string, readonly string[]>> = {
  read: ['robots', 'state', 'events', 'screen', 'activity'],
  act: ['show', 'say', 'face', 'move', 'leds', 'sound', 'speak', 'command', 'stop', 'pictures'],
  ask: ['menu', 'clickmap'],
  'ask or approve': ['ask', 'waits'],
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

  it('a scene or a group of questions needs ask, which approve does not replace', () => {
    assert.deepEqual(scopesWithin([{ action: 'face' }, { action: 'ask' }]), ['act', 'ask']);
    assert.throws(() => requireScopes('this scene', scopesWithin([{ action: 'ask' }]), ['approve']), /lacks the scope ask; it has approve/);
  });

  it('a question needs ask or approve, and is refused with both names', () => {
    for (const has of [['ask'], ['approve'], ['read', 'approve']] as const) requireScopes('ask', scopesOf('ask'), has);
    assert.throws(() => requireScopes('ask', scopesOf('ask'), ['read', 'act']), /lacks the scope ask or approve; it has read and act/);
  });

  it('approve is the one scope that no key has by default', () => {
    assert.deepEqual(
      keyScopes.filter((scope) => !defaultScopes.some((each) => each === scope)),
      ['approve'],
    );
  });

  it('webhooks need read and act; descriptions and previews none', () => {
    assert.deepEqual(scopesOf('webhooks'), ['read', 'act']);
    for (const call of ['actions', 'icons', 'openapi', 'preview', 'mcp', 'constructor']) assert.deepEqual(scopesOf(call), [], call);
  });
});
