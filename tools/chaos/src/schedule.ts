/** Which faults come in which round: drawn from the seed in bags, so that every kind comes before any comes again. */
import type { Fault } from './faults/fault.js';
import { Random } from './random.js';
import type { RedisShape } from './system/system.js';

export interface RoundPlan {
  /** From 1. */
  readonly round: number;
  readonly redis: RedisShape;
  /** The first is the round's; one of robots, of lines of robots or programs, or of senders of webhooks may come with it. */
  readonly faults: readonly Fault[];
}

/** How many of the faults that work on both come on a Cluster, too, in a bag. */
const alsoOnCluster = 3;
/** Faults of robots, of the lines of robots and programs, and of senders of webhooks, which go along with any other. */
const goesAlong = /^robot-|-(?:robots|programs|webhooks)$/;

/** How many rounds the first bag takes: then every kind has come. */
export function bagSize(faults: readonly Fault[]): number {
  return bagOf(faults, new Random(''), true).length;
}

/** The plan of one round: the same for a seed, whatever came before it. */
export function planOf(faults: readonly Fault[], seed: Random, round: number): RoundPlan {
  const sizes = [true, false].map((paired) => bagOf(faults, seed, paired).length) as [number, number];
  // Two bags make a turn: one with the faults that go along with others beside them, one with each alone.
  const turn = Math.floor((round - 1) / (sizes[0] + sizes[1]));
  const inTurn = (round - 1) % (sizes[0] + sizes[1]);
  const paired = inTurn < sizes[0];
  const bag = bagOf(faults, seed.fork(`bag ${turn} ${paired}`), paired);
  return { round, ...bag[paired ? inTurn : inTurn - sizes[0]]! };
}

type Entry = Omit<RoundPlan, 'round'>;

/**
 * Every kind, in drawn order, all rounds on one Redis in a row: another Redis is another system. A bag goes on where the one before it ended.
 * @param paired faults that go along with others come with them, which saves rounds
 */
function bagOf(faults: readonly Fault[], random: Random, paired: boolean): Entry[] {
  const along = random.fork('along').shuffle(faults.filter(({ kind }) => goesAlong.test(kind)));
  const others = faults.filter((fault) => !along.includes(fault));
  const alone = paired && others.length >= along.length ? others : faults;
  const both = random.fork('cluster').shuffle(alone.filter(({ on }) => on === 'both'));
  const entries: Entry[] = [
    ...alone.filter(({ on }) => on !== 'cluster').map((fault) => ({ redis: 'single' as const, faults: [fault] })),
    ...[...alone.filter(({ on }) => on === 'cluster'), ...both.slice(0, alsoOnCluster)].map((fault) => ({
      redis: 'cluster' as const,
      faults: [fault],
    })),
  ];
  const shuffled = random.fork('order').shuffle(entries);
  const seconds = alone === faults ? [] : along;
  const withSeconds = shuffled.map((entry) => {
    const at = seconds.findIndex(({ on }) => on === 'both' || on === entry.redis);
    return at === -1 ? entry : { ...entry, faults: [...entry.faults, ...seconds.splice(at, 1)] };
  });
  const order = paired ? ['single', 'cluster'] : ['cluster', 'single'];
  return order.flatMap((redis) => random.fork(redis).shuffle(withSeconds.filter((entry) => entry.redis === redis)));
}
