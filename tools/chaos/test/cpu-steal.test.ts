import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { CpuSteal, timesIn } from '../src/machine/cpu-steal.js';

describe('CpuSteal', () => {
  it('reads the eighth number of the first line of /proc/stat as stolen time, and the others as busy', () => {
    assert.deepEqual(timesIn('cpu  10 1 20 60 2 3 4 5 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n'), { busy: 38, stolen: 5 });
  });

  it('counts stolen time over the requested period', async () => {
    let times = { busy: 100, stolen: 10 };
    const stolen = new CpuSteal(() => times);
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

  it('reads the share of this machine', () => {
    const stolen = new CpuSteal();
    stolen.stop();
    assert.ok(stolen.share() >= 0 && stolen.share() <= 1);
  });
});
