/** Which faults come in which round: drawn from the seed in bags, so that every kind comes before any comes again. */
import type { Fault } from './faults/fault.js';
import type { Random } from './random.js';
import type { RedisShape } from './system/system.js';

export interface RoundPlan {
  /** From 1. */
  readonly round: number;
  readonly redis: RedisShape;
  /** The first is the round's; now and then one that makes robots misbehave comes with it. */
  readonly faults: readonly Fault[];
}

/** How many of the faults that work on both come on a Cluster, too, in a bag. */
const alsoOnCluster = 3;
const secondChance = 0.15;

/** How many rounds it takes until every kind has come. */
export function bagSize(faults: readonly Fault[]): number {
  return bagOf(faults).length;
}

/** The plan of one round: the same for a seed, whatever came before it. */
export function planOf(faults: readonly Fault[], seed: Random, round: number): RoundPlan {
  const size = bagSize(faults);
  const number = Math.floor((round - 1) / size);
  const shuffled = seed.fork(`bag ${number}`).shuffle(bagOf(faults, seed.fork(`cluster ${number}`)));
  // All rounds on one Redis in a row: another Redis is another system. Every second bag the other way round, so that it goes on where the last one ended.
  const order: RedisShape[] = number % 2 === 0 ? ['single', 'cluster'] : ['cluster', 'single'];
  const bag = order.flatMap((redis) => shuffled.filter((entry) => entry.redis === redis));
  const { fault, redis } = bag[(round - 1) % size]!;
  const random = seed.fork(`round ${round}`).fork('second');
  const seconds = faults.filter((other) => other.kind.startsWith('robot-') && other !== fault && (other.on === 'both' || other.on === redis));
  return { round, redis, faults: seconds.length > 0 && random.chance(secondChance) ? [fault, random.pick(seconds)] : [fault] };
}

function bagOf(faults: readonly Fault[], random?: Random): { fault: Fault; redis: RedisShape }[] {
  const both = faults.filter(({ on }) => on === 'both');
  const again = (random?.shuffle(both) ?? both).slice(0, alsoOnCluster);
  return [
    ...faults.filter(({ on }) => on !== 'cluster').map((fault) => ({ fault, redis: 'single' as const })),
    ...[...faults.filter(({ on }) => on === 'cluster'), ...again].map((fault) => ({ fault, redis: 'cluster' as const })),
  ];
}
