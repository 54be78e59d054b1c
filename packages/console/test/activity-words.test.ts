import assert from 'node:assert/strict';
import { actions, changeKinds } from '@perch/schema';
import { actionLabels, changeLabels, durationText, labelOfAction, labelOfOutcome } from '../src/pages/activity/activity-words.js';

describe('the words of the activity', () => {
  it('has a label for each action that acts, and for each kind of change', () => {
    const acting = actions.filter(({ effect }) => !effect.readOnly).map(({ name }) => name);
    assert.deepEqual(Object.keys(actionLabels).toSorted(), [...acting, 'stop', 'scene'].toSorted());
    assert.deepEqual(Object.keys(changeLabels).toSorted(), [...changeKinds].toSorted());
    assert.equal(labelOfAction('of_a_later_release'), 'Of a later release');
  });

  it('names outcomes, counts of equal refusals, and errors by their code in words', () => {
    assert.deepEqual(labelOfOutcome({ outcome: 'timed_out', count: 1 }), { label: 'No answer', tone: 'warn' });
    assert.deepEqual(labelOfOutcome({ outcome: 'rate_limited', count: 12 }), { label: 'Rate limited, 12 times', tone: 'bad' });
  });

  it('formats durations of milliseconds to hours', () => {
    assert.deepEqual([0.04, 0.9996, 2.13, 9.96, 59.6, 3600].map(durationText), ['40 ms', '1 s', '2.1 s', '10 s', '1 min 0 s', '60 min 0 s']);
  });
});
