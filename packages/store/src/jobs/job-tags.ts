/** Hash tags for the queues of the job shards, whose slots are spread evenly, so that any number of shards lies on as many masters as possible. */
import keySlot from 'cluster-key-slot';

export const jobShardsMax = 64;
const slotsEach = 16_384 / jobShardsMax;
const bits = Math.log2(jobShardsMax);
/** The only shard unless `PERCH_JOB_SHARDS` is set. */
const firstTag = 'jobs';

const tags: string[] = [firstTag];

/** @returns `jobs` of shard 0, `jobs:<shard>.<n>` of any other */
export function jobTag(shard: number): string {
  return (tags[shard] ??= findTag(shard));
}

/** Returns a tag in the one of 64 slot ranges that halves the widest gap between the previous shards (van der Corput's sequence). */
function findTag(shard: number): string {
  const wanted = (rangeOf(firstTag) + reversed(shard)) % jobShardsMax;
  for (let n = 0; ; n++) {
    const tag = `${firstTag}:${shard}.${n}`;
    if (rangeOf(tag) === wanted) return tag;
  }
}

const rangeOf = (tag: string): number => Math.floor(keySlot(tag) / slotsEach);

function reversed(shard: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) if ((shard & (1 << bit)) !== 0) result |= 1 << (bits - 1 - bit);
  return result;
}
