/** Checks whether the settings of a Redis server let it keep what it acknowledged. */
import type { Redis } from 'ioredis';

interface Capabilities {
  appendOnly: boolean | null;
  /** Null: nothing is evicted, or unknown. */
  evicts: string | null;
}

/** A value that the server does not report counts as unknown. */
export async function capabilitiesOf(node: Redis): Promise<Capabilities> {
  const [persistence, memory] = await Promise.all(['persistence', 'memory'].map((section) => node.info(section).catch(() => '')));
  const aof = /^aof_enabled:(\d)/m.exec(persistence!)?.[1];
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory!)?.[1] ?? 'noeviction';
  return { appendOnly: aof === undefined ? null : aof === '1', evicts: policy === 'noeviction' ? null : policy };
}

export const capabilityWarnings = {
  noAppendOnly: 'Redis has no append-only file: if it stops, every acknowledged write since its last snapshot is lost. Set appendonly yes.',
  evicts: (policy: string) =>
    `Redis evicts keys when its memory is full, including those of accounts and robots: its maxmemory-policy is ${policy}. Set noeviction.`,
  openToAll:
    'Redis serves clients without a password: its user default is on, although there are users. Turn it off: ACL SETUSER default off resetpass.',
  noReplica:
    'The Redis master has no connected replica: Sentinels have nothing to promote, and acknowledged writes are only on the disk of the master.',
  cannotWait: (why: string) => `Redis cannot tell when a write is on disk, so an acknowledged write may be lost with its last 2 s: ${why}`,
};
