import assert from 'node:assert/strict';
import { RoundQueue } from '../src/queue.js';
import type { RoundPlan } from '../src/schedule.js';
import type { RedisShape } from '../src/system/system.js';

/** Bags of four: rounds 3 and 4, 5 and 6, 11 and 12 ... are on a Cluster. */
const redisOf = (round: number): RedisShape => (round % 8 >= 3 && round % 8 <= 6 ? 'cluster' : 'single');
const plan = (round: number): RoundPlan => ({ round, redis: redisOf(round), faults: [] });

function queue(rounds: number): RoundQueue {
  return new RoundQueue(
    Array.from({ length: rounds }, (_, i) => i + 1),
    plan,
    4,
  );
}

describe('RoundQueue', () => {
  it('gives a single worker the rounds in order, keeping its Redis while the bag has rounds for it', () => {
    const rounds = queue(9);
    const order: number[] = [];
    let own: RedisShape | null = null;
    for (let next = rounds.next(own, []); next !== null; next = rounds.next(own, [])) {
      order.push(next.round);
      own = next.redis;
    }
    assert.deepEqual(order, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(rounds.next(own, []), null);
  });

  it('distributes rounds so that each of two workers keeps its Redis until no round is left for it', () => {
    const rounds = queue(8);
    const take = (own: RedisShape | null, other: RedisShape | null): number => rounds.next(own, other === null ? [] : [other])!.round;
    assert.equal(take(null, null), 1);
    assert.equal(take(null, 'single'), 3, 'what nobody has a system for');
    assert.equal(take('single', 'cluster'), 2);
    assert.equal(take('cluster', 'single'), 4);
    assert.equal(take('single', 'cluster'), 7, 'in the next bag');
    assert.equal(take('cluster', 'single'), 5);
    assert.equal(take('single', 'cluster'), 8);
    assert.equal(take('single', 'cluster'), 6);
  });

  it('gives a round on an unused Redis to one of two workers on the same Redis', () => {
    const rounds = queue(8);
    assert.equal(rounds.next('single', ['single'])!.redis, 'cluster');
    assert.equal(rounds.next('single', ['cluster'])!.redis, 'single');
  });

  it('begins every round of a bag before any of the next', () => {
    const rounds = queue(8);
    const first = [rounds.next('single', []), rounds.next('single', []), rounds.next('single', []), rounds.next('cluster', [])];
    assert.deepEqual(new Set(first.map((one) => one!.round)), new Set([1, 2, 3, 4]));
  });
});
