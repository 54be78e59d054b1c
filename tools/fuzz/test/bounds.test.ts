import assert from 'node:assert/strict';
import fc from 'fast-check';
import { drive, generated } from '../src/drive.js';
import { growthProblems } from '../src/growth.js';
import { fuzzArguments } from '../src/options.js';
import type { Snapshot } from '../src/snapshot.js';
import { Tally } from '../src/tally.js';
import { floodProblems } from '../src/targets/flood.js';
import { slowProblems } from '../src/targets/slow.js';

describe('a run', () => {
  it('sends the same requests for the same seed, and others for another', () => {
    const arbitrary = fc.array(fc.nat(), { minLength: 3 });
    const first = Array.from({ length: 50 }, (_, i) => generated(arbitrary, 7, i));
    assert.deepEqual(
      first,
      Array.from({ length: 50 }, (_, i) => generated(arbitrary, 7, i)),
    );
    assert.notDeepEqual(
      first,
      Array.from({ length: 50 }, (_, i) => generated(arbitrary, 8, i)),
    );
    assert.ok(new Set(first.map((value) => JSON.stringify(value))).size > 45, 'neighbours are not alike');
  });

  it('reports the smallest failing input, and requests that broke off without an answer', async () => {
    const tally = new Tally();
    const send = (value: number) => Promise.resolve(value >= 100 ? { what: `${value} is too much`, request: String(value), answer: '' } : null);
    await drive({ target: 't', arbitrary: fc.nat(100_000), count: 20, seed: 1, inFlight: 4, send, tally });
    assert.ok(tally.violations.length > 10);
    assert.ok(tally.violations.some(({ request }) => request === '100'));
    await drive({ target: 't', arbitrary: fc.nat(), count: 1, seed: 1, inFlight: 1, send: () => Promise.reject(new Error('reset')), tally });
    assert.match(tally.violations.at(-1)!.what, /no answer: reset/);
  });

  it('reads its options, and rejects unknown groups', () => {
    assert.deepEqual(fuzzArguments(['--requests', '5', '--seed', '3', '--only', 'mcp,webhooks']).only, ['mcp', 'webhooks']);
    assert.equal(fuzzArguments([]).requests, 50_000);
    assert.throws(() => fuzzArguments(['--only', 'ftp']), /unknown group/);
    assert.throws(() => fuzzArguments(['--requests', '1e3']), /a whole number/);
  });
});

describe('the report of a run', () => {
  it('lists the 99th percentile of the answer time by target', () => {
    const tally = new Tally();
    for (let ms = 1; ms <= 200; ms++) tally.answered('t', '200', ms);
    tally.answered('u', 'held until we hung up');
    assert.deepEqual(tally.p99(), { t: 198 });
  });
});

describe('the growth of a service', () => {
  const calm: Snapshot = {
    rssMb: { gateway: 100 },
    files: { gateway: 30 },
    gauges: { perch_gateway_held_calls: 0 },
    loopDelayMs: { gateway: 5 },
    redis: { lasting: 1000, passing: 50, usedMb: 10 },
    internalErrors: 0,
  };

  it('allows a little growth, and reports more', () => {
    assert.deepEqual(growthProblems(calm, { ...calm, rssMb: { gateway: 150 }, files: { gateway: 35 } }, 10), []);
    for (const [grown, what] of [
      [{ rssMb: { gateway: 400 } }, /resident/],
      [{ rssMb: { renderer: 1100 } }, /renderer, resident/],
      [{ files: { gateway: 300 } }, /open files/],
      [{ gauges: { perch_gateway_held_calls: 1 } }, /held_calls: 1, was 0/],
      [{ loopDelayMs: { gateway: 900 } }, /event loop/],
      [{ redis: { lasting: 5000, passing: 0, usedMb: 10 } }, /keys in Redis/],
      [{ redis: { lasting: 1000, passing: 0, usedMb: 500 } }, /Redis, MB/],
      [{ internalErrors: 1 }, /with 500/],
    ] as const) {
      const problems = growthProblems(calm, { ...calm, ...grown }, 10);
      assert.equal(problems.length, 1);
      assert.match(problems[0]!, what);
    }
  });
});

describe('the effect of a flood on other accounts', () => {
  it('reports another account that is refused or delayed, and jobs of the flood that are left', () => {
    const calm = { p99: 300, wrong: [], waiting: 0 };
    assert.deepEqual(floodProblems(calm), []);
    assert.match(floodProblems({ ...calm, p99: 2100 })[0]!, /99th/);
    assert.match(floodProblems({ ...calm, wrong: ['503 render_failed'] })[0]!, /503 render_failed \(1 times\)/);
    assert.match(floodProblems({ ...calm, waiting: 3 })[0]!, /3 jobs still wait/);
  });
});

describe('the effect of slow clients on others', () => {
  const calm = { wanted: 10, held: 10, wrong: [], p50Before: 3, p50During: 5, p99Before: 10, p99During: 19 };

  it('reports more than twice the time, and wrong answers', () => {
    assert.deepEqual(slowProblems(calm), []);
    assert.deepEqual(slowProblems({ ...calm, p50Before: 0.4, p50During: 1.9 }), [], 'under a millisecond is noise');
    assert.match(slowProblems({ ...calm, p50During: 7 })[0]!, /median/);
    assert.match(slowProblems({ ...calm, p99During: 21 })[0]!, /99th/);
    assert.match(slowProblems({ ...calm, held: 9 })[0]!, /9 were held/);
    assert.match(slowProblems({ ...calm, wrong: ['503', '503'] })[0]!, /503 \(2 times\)/);
  });
});
