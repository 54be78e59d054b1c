import assert from 'node:assert/strict';
import { processorTimes, stolenShare, timesIn } from '../src/stolen-time.js';

describe('time that the host gave to others', () => {
  it('is the eighth number of the first line', () => {
    const from = timesIn('cpu  10 0 20 60 2 0 3 5 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n');
    assert.deepEqual(from, { all: 100, stolen: 5 });
    assert.equal(stolenShare(from, { all: 300, stolen: 55 }), 0.25);
    assert.equal(stolenShare(null, from), null);
    assert.equal(stolenShare(from, from), null);
  });

  it('is read from this machine', () => {
    const times = processorTimes();
    assert.ok(times === null || (times.all > 0 && times.stolen >= 0 && times.stolen <= times.all));
  });
});
