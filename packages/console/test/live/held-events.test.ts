import assert from 'node:assert/strict';
import { HeldEvents } from '../../src/api/live/held-events.js';

describe('events that wait for their page', () => {
  it('take effect in their order when the page is there, and later ones at once', () => {
    const applied: number[] = [];
    const events = new HeldEvents<number>(true, (event) => applied.push(event));
    events.add(1);
    events.add(2);
    assert.deepEqual(applied, []);
    events.release();
    events.add(3);
    events.release();
    assert.deepEqual(applied, [1, 2, 3]);
  });

  it('take effect at once where no page is waited for', () => {
    const applied: number[] = [];
    new HeldEvents<number>(false, (event) => applied.push(event)).add(1);
    assert.deepEqual(applied, [1]);
  });
});
