import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BodyBudget, ownerBytesMax, type Reservation } from '../src/http/json-body.js';

const mb = 1024 * 1024;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function ask(budget: BodyBudget, owner: string, bytes: number): Reservation & { isGranted: boolean } {
  const reservation = budget.reserve(owner, bytes)!;
  const noted = { ...reservation, isGranted: reservation.granted === null };
  void reservation.granted?.then(() => (noted.isGranted = true));
  return noted;
}

describe('the budget of request bodies', () => {
  it('grants one account at most 8 MB, makes the rest wait in order of arrival, and leaves other accounts their share', async () => {
    const budget = new BodyBudget(128 * mb);
    const flood = Array.from({ length: 300 }, () => ask(budget, 'a', 2 * mb));
    assert.deepEqual([budget.bytes, budget.waiting], [ownerBytesMax, 296]);
    assert.equal(ask(budget, 'b', 2 * mb).isGranted, true);
    flood[1]!.release();
    await settled();
    assert.deepEqual(
      flood.slice(0, 6).map(({ isGranted }) => isGranted),
      [true, true, true, true, true, false],
    );
  });

  it('admits accounts round-robin when the instance is full', async () => {
    const budget = new BodyBudget(8 * mb);
    const full = ask(budget, 'a', 8 * mb);
    const waiting = ['b', 'b', 'b', 'c', 'd'].map((owner) => ask(budget, owner, 2 * mb));
    full.release();
    await settled();
    assert.deepEqual(
      waiting.map(({ isGranted }) => isGranted),
      [true, true, false, true, true],
    );
  });

  it('does not let a small body overtake a large one of another account that waits for memory', async () => {
    const budget = new BodyBudget(8 * mb);
    const [first, second] = [ask(budget, 'a', 4 * mb), ask(budget, 'b', 3 * mb)];
    const large = ask(budget, 'c', 2 * mb);
    const small = ask(budget, 'd', 1);
    assert.deepEqual([large.isGranted, small.isGranted], [false, false]);
    second.release();
    await settled();
    assert.deepEqual([large.isGranted, small.isGranted], [true, true]);
    first.release();
  });

  it('withdraws a waiting body that is released, and admits the next one', async () => {
    const budget = new BodyBudget(128 * mb);
    const held = ask(budget, 'a', 7 * mb);
    const large = ask(budget, 'a', 2 * mb);
    const small = ask(budget, 'a', 1 * mb);
    large.release();
    await settled();
    assert.equal(small.isGranted, true);
    for (const each of [held, small, small]) each.release();
    assert.deepEqual([budget.bytes, budget.waiting], [0, 0]);
  });

  it('never exceeds a limit and grants every body once those before it are released, in any order', async () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), kb: fc.integer({ min: 1, max: 2048 }), releases: fc.nat(3), at: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const budget = new BodyBudget(10 * mb);
        const open: { owner: string; bytes: number; reservation: ReturnType<typeof ask> }[] = [];
        const check = (): void => {
          assert.ok(budget.bytes <= 10 * mb);
          for (const owner of ['a', 'b', 'c']) {
            const held = open.filter((each) => each.owner === owner && each.reservation.isGranted).reduce((sum, { bytes }) => sum + bytes, 0);
            assert.ok(held <= ownerBytesMax);
          }
        };
        for (const { owner, kb, releases, at } of steps) {
          open.push({ owner, bytes: kb * 1024, reservation: ask(budget, owner, kb * 1024) });
          for (let i = 0; i < releases && open.length > 0; i++) open.splice(at % open.length, 1)[0]!.reservation.release();
          await settled();
          check();
        }
        while (open.length > 0) {
          const granted = open.findIndex(({ reservation }) => reservation.isGranted);
          assert.notEqual(granted, -1, `${open.length} bodies wait and none is being read`);
          open.splice(granted, 1)[0]!.reservation.release();
          await settled();
          check();
        }
        assert.deepEqual([budget.bytes, budget.waiting], [0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});
