import assert from 'node:assert/strict';
import { chunkText, parseChunk, type ActivityEntry } from '../src/activity/activity.js';

const key = { id: 'k-0123456789', name: 'Kitchen' };
const usual: ActivityEntry = { at: 1_790_000_000_000, via: 'http', action: 'leds', outcome: 'ok', key, robot: 'r-0123456789', ms: 3 };

describe('chunks of the activity', () => {
  it('returns every entry as it was written, whichever of its fields it has', () => {
    const entries: ActivityEntry[] = [
      usual,
      { ...usual, at: usual.at + 7, key: { id: 'k-other', name: '' }, ms: 0 },
      { ...usual, at: usual.at - 2, via: 'agent', outcome: 'answered', question: 'Tea?', answer: '', x: 0, y: 239, tapMs: 0 },
      { at: usual.at, via: 'http', action: 'ask', outcome: 'rate_limited', key, count: 3 },
      { at: usual.at, via: 'page', action: 'key_create', outcome: 'ok', network: '127.0.0.1', subject: key.id, guest: 'guest@example.com' },
      { at: usual.at, via: 'http', action: 'stop', outcome: 'ok' },
    ];
    assert.deepEqual(parseChunk(chunkText(entries)), entries);
    assert.deepEqual(parseChunk(chunkText([])), []);
  });

  it('reads the entries of builds before the release, which had names', () => {
    const named = {
      t: usual.at,
      v: 'agent',
      a: 'ask',
      o: 'answered',
      k: key.id,
      r: 'r-0123456789',
      m: 1200,
      q: 'Tea?',
      w: 'Yes',
      x: 10,
      y: 20,
      p: 900,
    };
    const change = { t: usual.at, v: 'page', a: 'key_create', o: 'ok', i: '127.0.0.1', s: key.id };
    assert.deepEqual(parseChunk(JSON.stringify({ k: { [key.id]: key.name }, e: [named, change] })), [
      { ...usual, via: 'agent', action: 'ask', outcome: 'answered', ms: 1200, question: 'Tea?', answer: 'Yes', x: 10, y: 20, tapMs: 900 },
      { at: usual.at, via: 'page', action: 'key_create', outcome: 'ok', network: '127.0.0.1', subject: key.id },
    ]);
  });

  it('writes the id and name of a key once, and at most 40 bytes for an action that succeeded', () => {
    const bytes = (count: number): number => chunkText(Array.from({ length: count }, (_, i) => ({ ...usual, at: usual.at + i }))).length;
    assert.ok(bytes(50) - bytes(49) <= 40, String(bytes(50) - bytes(49)));
    assert.equal(chunkText([usual, usual]).split(key.id).length, 2);
  });
});
