/** Finds keys with numbered tags that lie on the same Redis Cluster master as another key. A single Redis counts as one master. */
import keySlot from 'cluster-key-slot';
import { Cluster, type Redis } from 'ioredis';

const tagsMax = 2000;
const countedForMs = 5000;

type Commands = Redis | Cluster;
type NumberedKey = (number: number) => string;

/** The connections to the masters, as far as a Cluster client has one; a single Redis is its own. */
export function mastersOf(commands: Commands): Redis[] {
  return commands instanceof Cluster ? commands.nodes('master') : [commands];
}

/** NAT gateways and firewalls forget connections that are idle for longer, some after 20 s. */
const pingMs = 5000;

/** Uses a connection that may be idle for long. One that does not reply ends by its `socketTimeout`. The caller clears the interval. */
export function pingRegularly(commands: Commands): NodeJS.Timeout {
  return setInterval(() => {
    const nodes = commands instanceof Cluster ? commands.nodes('all') : [commands];
    for (const node of nodes) if (node.status === 'ready') node.ping().catch(() => {});
  }, pingMs).unref();
}

export function numberBeside(commands: Commands, other: string, keyOf: NumberedKey): number | null {
  if (!(commands instanceof Cluster)) return 0;
  const master = masterOf(commands, other);
  for (let number = 0; number < tagsMax; number++) if (masterOf(commands, keyOf(number)) === master) return number;
  return null;
}

export function numbersOfMasters(commands: Commands, keyOf: NumberedKey): number[] {
  if (!(commands instanceof Cluster)) return [0];
  const numbers = new Map<string, number>();
  for (let number = 0; number < tagsMax; number++) {
    const master = masterOf(commands, keyOf(number));
    if (master !== undefined && !numbers.has(master)) numbers.set(master, number);
  }
  return [...numbers.values()];
}

/** @returns `host:port`; undefined while the slots are unknown */
export function masterOf(cluster: Cluster, key: string): string | undefined {
  return cluster.slots[keySlot(key)]?.[0];
}

/** @returns undefined while the slots are unknown, or the client has no connection to their master */
export function nodeOf(commands: Commands, key: string): Redis | undefined {
  if (!(commands instanceof Cluster)) return commands;
  const address = masterOf(commands, key);
  return commands.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
}

/** Masters that hold slots, counted every 5 s, since it takes a pass over all slots. */
export class MasterCount {
  readonly #commands: Commands;
  #count = 1;
  #countedAt = -Infinity;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  get(): number {
    if (!(this.#commands instanceof Cluster)) return 1;
    if (performance.now() - this.#countedAt > countedForMs) {
      this.#count = Math.max(1, new Set(this.#commands.slots.flatMap((nodes) => nodes?.[0] ?? [])).size);
      this.#countedAt = performance.now();
    }
    return this.#count;
  }
}
