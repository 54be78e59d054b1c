import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { StolenTime, timesIn } from '../src/stolen-time.js';

describe('time that the host gave to others', () => {
  it('is the eighth number of the first line, beside what ran', () => {
    assert.deepEqual(timesIn('cpu  10 1 20 60 2 3 4 5 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n'), { busy: 38, stolen: 5 });
  });

  it('is counted over the time that is asked about', async () => {
    let times = { busy: 100, stolen: 10 };
    const stolen = new StolenTime(() => times);
    try {
      const from = performance.now();
      times = { busy: 160, stolen: 50 };
      await until(() => stolen.share() > 0);
      const to = performance.now();
      assert.equal(stolen.share(), 0.4);
      assert.equal(stolen.during(from, to), (to - from) * 0.4);
      assert.equal(stolen.during(to, to + 100), 0);
    } finally {
      stolen.stop();
    }
  });

  it('is read from this machine', () => {
    const stolen = new StolenTime();
    stolen.stop();
    assert.ok(stolen.share() >= 0 && stolen.share() <= 1);
  });
});
