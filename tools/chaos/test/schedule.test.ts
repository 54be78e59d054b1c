import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { guarantees } from '../src/checker/guarantees.js';
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

/** Length of two bags: one with combined faults, one with each fault alone. */
const turn = bagSize(faults) + faults.length + 3;

function plans(seed: string, from = 1, count = bagSize(faults)): RoundPlan[] {
  return Array.from({ length: count }, (_, i) => planOf(faults, new Random(seed), from + i));
}

function text(plan: RoundPlan): string {
  return `${plan.round} ${plan.redis} ${plan.faults.map(({ kind }) => kind).join('+')}`;
}

describe('the schedule of faults', () => {
  it('plans the same rounds for the same seed, and others for another', () => {
    assert.deepEqual(plans('a').map(text), plans('a').map(text));
    assert.equal(text(planOf(faults, new Random('a'), 7)), text(plans('a')[6]!));
    assert.notDeepEqual(plans('a').map(text), plans('b').map(text));
  });

  it('runs every fault in each bag, on a Redis that it supports', () => {
    for (const seed of ['a', 'b', 'c']) {
      const rounds = plans(seed, 1, turn);
      for (const bag of [rounds.slice(0, bagSize(faults)), rounds.slice(bagSize(faults))])
        assert.deepEqual(new Set(bag.flatMap((plan) => plan.faults.map(({ kind }) => kind))), new Set(faults.map(({ kind }) => kind)));
      for (const { redis, faults: drawn } of rounds) for (const { on } of drawn) assert.ok(on === 'both' || on === redis);
    }
  });

  it('changes the Redis at most once a bag, and not between bags', () => {
    const kinds = plans('a', 1, 2 * turn).map(({ redis }) => redis);
    assert.equal(kinds.filter((redis, i) => i > 0 && redis !== kinds[i - 1]).length, 4);
  });

  it('combines robot faults with another fault in one bag, and runs them alone in the next', () => {
    const rude = plans('a', 1, turn).filter((plan) => plan.faults.some(({ kind }) => kind === 'robot-rude'));
    assert.equal(rude[0]!.faults.length, 2);
    assert.equal(rude[0]!.faults[1]!.kind, 'robot-rude');
    for (const plan of rude.slice(1)) assert.equal(plan.faults.length, 1);
  });

  it('runs every fault in few more rounds than there are faults that cannot be combined', () => {
    assert.ok(bagSize(allFaults) <= allFaults.length - 12, String(bagSize(allFaults)));
  });

  it('runs robot faults alone if there are no others', () => {
    const robotsOnly = [fault('robot-rude', 'both'), fault('robot-late', 'both')];
    const kinds = Array.from({ length: bagSize(robotsOnly) }, (_, i) =>
      planOf(robotsOnly, new Random('a'), i + 1)
        .faults.map(({ kind }) => kind)
        .join('+'),
    );
    assert.deepEqual(new Set(kinds), new Set(['robot-rude', 'robot-late']));
  });

  it('gives every fault a unique kebab-case name', () => {
    const kinds = allFaults.map(({ kind }) => kind);
    assert.equal(new Set(kinds).size, kinds.length);
    for (const kind of kinds) assert.match(kind, /^[a-z][a-z0-9-]*$/);
  });

  it('matches docs/chaos.md, which lists every fault and guarantee and no other', () => {
    const document = readFileSync(new URL('../../../docs/chaos.md', import.meta.url), 'utf8');
    const listed = [...document.matchAll(/^\| `([a-z-]+)` \| (?:one server|Cluster|both) \|/gm)].map(([, kind]) => kind);
    assert.deepEqual(
      listed,
      allFaults.map(({ kind }) => kind),
    );
    for (const { name, promise } of guarantees) assert.ok(document.includes(`| ${name} | ${promise} |`), name);
  });
});
