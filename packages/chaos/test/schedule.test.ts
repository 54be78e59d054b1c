import assert from 'node:assert/strict';
import type { Fault } from '../src/faults/fault.js';
import { faults as allFaults } from '../src/faults/faults.js';
import { Random } from '../src/random.js';
import { bagSize, planOf, type RoundPlan } from '../src/schedule.js';

function fault(kind: string, on: Fault['on']): Fault {
  return { kind, on, inject: () => Promise.reject(new Error('not here')) };
}

const faults = [
  ...Array.from({ length: 5 }, (_, i) => fault(`both-${i}`, 'both')),
  fault('robot-rude', 'both'),
  fault('aof', 'single'),
  fault('master', 'cluster'),
];

function plans(seed: string, from = 1, count = bagSize(faults)): RoundPlan[] {
  return Array.from({ length: count }, (_, i) => planOf(faults, new Random(seed), from + i));
}

function text(plan: RoundPlan): string {
  return `${plan.round} ${plan.redis} ${plan.faults.map(({ kind }) => kind).join('+')}`;
}

describe('the schedule of faults', () => {
  it('is the same for a seed, round by round, and another for another', () => {
    assert.deepEqual(plans('a').map(text), plans('a').map(text));
    assert.equal(text(planOf(faults, new Random('a'), 7)), text(plans('a')[6]!));
    assert.notDeepEqual(plans('a').map(text), plans('b').map(text));
  });

  it('has every kind in each bag, and each on a Redis that it works on', () => {
    for (const seed of ['a', 'b', 'c']) {
      for (const from of [1, 1 + bagSize(faults)]) {
        const bag = plans(seed, from);
        assert.deepEqual(new Set(bag.map((plan) => plan.faults[0]!.kind)), new Set(faults.map(({ kind }) => kind)));
        for (const { redis, faults: drawn } of bag) for (const { on } of drawn) assert.ok(on === 'both' || on === redis);
      }
    }
  });

  it('changes the Redis at most once a bag, and not between bags', () => {
    const kinds = plans('a', 1, 2 * bagSize(faults)).map(({ redis }) => redis);
    assert.equal(kinds.filter((redis, i) => i > 0 && redis !== kinds[i - 1]).length, 2);
  });

  it('lets a robot misbehave beside another fault now and then, never twice the same', () => {
    const doubled = plans('a', 1, 200).filter(({ faults: drawn }) => drawn.length > 1);
    assert.ok(doubled.length > 10 && doubled.length < 60, String(doubled.length));
    for (const { faults: drawn } of doubled) {
      assert.equal(drawn[1]!.kind, 'robot-rude');
      assert.notEqual(drawn[0], drawn[1]);
    }
  });

  it('knows every fault by a name of its own', () => {
    const kinds = allFaults.map(({ kind }) => kind);
    assert.equal(new Set(kinds).size, kinds.length);
    for (const kind of kinds) assert.match(kind, /^[a-z][a-z0-9-]*$/);
  });
});
