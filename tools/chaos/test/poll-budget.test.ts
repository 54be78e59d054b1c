import assert from 'node:assert/strict';
import { PollBudget } from '../src/system/poll-budget.js';

describe('PollBudget', () => {
  it('the poll budget is used up after its time', async () => {
    const polls = new PollBudget(300);
    assert.equal(polls.isUsedUp, false);
    await polls.pause();
    await polls.pause();
    assert.equal(polls.isUsedUp, true);
  });

  it('has time for further polls after a stall that was longer than its time', async () => {
    const polls = new PollBudget(1500);
    const stalledUntil = performance.now() + 1600;
    while (performance.now() < stalledUntil);
    await polls.pause();
    assert.equal(polls.isUsedUp, false);
  });
});
