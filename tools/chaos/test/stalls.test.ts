import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { excerpt } from '../src/history/excerpt.js';
import { History } from '../src/history/history.js';
import { Stalls } from '../src/machine/stalls.js';

describe('Stalls', () => {
  it('records delays of its timer, and excerpts mention them', async () => {
    const stalls = new Stalls();
    try {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const from = performance.now();
      while (performance.now() < from + 300);
      await until(() => stalls.most(from, performance.now()) > 0);
      const to = performance.now();
      assert.ok(stalls.most(from, to) >= 200, String(stalls.most(from, to)));
      assert.equal(stalls.most(from - 20_000, from - 10_000), 0);
      const totalMs = stalls.total(from, to);
      assert.ok(totalMs >= stalls.most(from, to) * 0.9 && totalMs <= to - from, `${totalMs} ms of ${to - from}`);
      assert.ok(stalls.total(from + 100, from + 200) <= 100, 'counts what lies between, and no more');
      const lines = excerpt(new History(), { robot: 'r1', from, to }, from, stalls.during(from, to));
      assert.ok(
        lines.some((line) => /machine: a timer of this process came \d{3,} ms late$/.test(line)),
        lines.join('\n'),
      );
    } finally {
      stalls.stop();
    }
  });
});
