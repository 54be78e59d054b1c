/** The schedule of faults: drawn from the seed in bags, so that every kind runs before any runs again. */
import type { Fault } from './faults/fault.js';
import { Random } from './random.js';
import type { RedisShape } from './system/system.js';

export interface RoundPlan {
  readonly round: number;
  readonly redis: RedisShape;
  /** A fault of robots, of connections of robots or programs, or of webhook senders may be combined with the first. */
  readonly faults: readonly Fault[];
}

/** In addition to a single server. */
const alsoOnCluster = 3;
const combinable = /^robot-|-(?:robots|programs|webhooks)$/;

export function bagSize(faults: readonly Fault[]): number {
  return bagOf(faults, new Random(''), true).length;
}

/** Depends on the seed alone, not on earlier rounds. */
export function planOf(faults: readonly Fault[], seed: Random, round: number): RoundPlan {
  const sizes = [true, false].map((paired) => bagOf(faults, seed, paired).length) as [number, number];
  // Two bags make a turn: one with combined faults, one with each fault alone.
  const turn = Math.floor((round - 1) / (sizes[0] + sizes[1]));
  const inTurn = (round - 1) % (sizes[0] + sizes[1]);
  const paired = inTurn < sizes[0];
  const bag = bagOf(faults, seed.fork(`bag ${turn} ${paired}`), paired);
  return { round, ...bag[paired ? inTurn : inTurn - sizes[0]]! };
}

type Entry = Omit<RoundPlan, 'round'>;

/** Random order, rounds on one Redis in a row, since another needs another system. @param paired combine faults, which saves rounds */
function bagOf(faults: readonly Fault[], random: Random, paired: boolean): Entry[] {
  const along = random.fork('along').shuffle(faults.filter(({ kind }) => combinable.test(kind)));
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
