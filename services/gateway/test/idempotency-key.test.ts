import assert from 'node:assert/strict';
import { callName, fingerprint } from '../src/idempotency/idempotent-calls.js';

describe('Idempotency-Key', () => {
  // Gateways of two releases share the records of calls during an update, and earlier ones write these names and fingerprints.
  it('names a call and hashes its arguments as earlier releases do', () => {
    const body = { text: 'Grüß dich 😀 \ud800', items: [{ label: 'b', id: 'a' }, 'c'], progress: 0.5, 10: 1, 9: 2, deep: { z: null, a: [true] } };
    assert.equal(callName('hash-of-a-key', 'one-key'), 'AtkA7hZm1hSApQttpDEpi8HLoyrYON2VgRuR991TJo0');
    assert.equal(fingerprint('show', body), 'Ent9cIvpbOyPBmGNRhHY11zXSQbawpgGw8M0-5X_e3M');
  });
});
