import assert from 'node:assert/strict';
import type { Guarantee } from '../../src/checker/evidence.js';
import type { Story } from './story.js';

export function breaks(guarantee: Guarantee, story: Story, expected: RegExp): void {
  const found = guarantee.check(story.evidence).map(({ what }) => what);
  assert.equal(found.length, 1, found.join('\n') || 'nothing was found');
  assert.match(found[0]!, expected);
}

export function holds(guarantee: Guarantee, story: Story): void {
  assert.deepEqual(guarantee.check(story.evidence), []);
}
