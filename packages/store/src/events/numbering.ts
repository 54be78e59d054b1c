/**
 * Decides whether event numbers continue after another Redis process took over. Each master has a numbering record that names its process; the last
 * instance to shut down cleanly *seals* it: nothing was numbered afterwards. A process whose record its predecessor sealed has every number ever
 * used, and continues. After a crash, an older copy or a failover numbers may be missing, and the append script jumps above all of them; behind
 * Sentinels with every new process, since a promoted replica cannot be told from a restarted master. A sealed record is opened, on disk, before the
 * first append. A record on a master that lost writes (`lost-writes.ts`) may be an old one, so that numbers jump.
 */
import { SingleFlight } from '@perch/runtime/plain';
import type { Redis } from 'ioredis';
import { recount } from '../accounts/recounts.js';
import { nodeOf, numberBeside, numbersOfMasters } from '../redis/cluster-nodes.js';
import { asStoreError, UncertainWrite } from '../errors.js';
import { guarded } from '../redis/guarded.js';
import type { Instances } from '../instances/instances.js';
import { robotKeys, sharedKeys } from '../keys.js';
import { persistenceOf, untilOnDisk } from '../redis/on-disk.js';
import type { Connections } from '../redis/connections.js';
import type { LostWrites } from '../redis/lost-writes.js';

interface Opened {
  key: string;
  /** Numbering id in the logs of the robots on this process. */
  id: string;
  predecessors: ReadonlySet<string>;
}

/** Processes whose records are remembered: one a node, and one more for each restart. */
const openedMax = 64;

export class Numbering {
  readonly #connections: Connections;
  readonly #instances: Instances;
  readonly #lostWrites: LostWrites;
  readonly #instance: string;
  readonly #opened = new Map<string, Opened>();
  readonly #opening = new SingleFlight<string, Opened | null>();
  /** `<run>=<id>` of each, as the append script parses it. */
  #openedText = '';

  constructor(connections: Connections, instances: Instances, lostWrites: LostWrites, instance: string) {
    this.#connections = connections;
    this.#instances = instances;
    this.#lostWrites = lostWrites;
    this.#instance = instance;
  }

  get openedText(): string {
    return this.#openedText;
  }

  /** Returns the verdict with which to repeat the append script. `known` numbered the robot's last events ('': none); `run` is the Redis process. */
  async verdict(robot: string, run: string, known: string): Promise<string> {
    const opened = this.#opened.get(run) ?? (await this.#opening.run(run, () => this.#open(robot, run)));
    return opened !== null && opened.predecessors.has(known) ? `${run} ${known} continues` : `${run} ${known} jumps`;
  }

  /** Seals the records that no other living instance has open. This instance must append nothing afterwards. Never rejects. */
  async seal(): Promise<void> {
    const opened = [...this.#opened];
    this.#opened.clear();
    this.#openedText = '';
    await Promise.allSettled(
      opened.map(async ([run, { key }]) => {
        if (key === '') return;
        const others = (await guarded(() => this.#connections.commands.hkeys(key)))
          .filter((field) => field.startsWith('open:'))
          .map((field) => field.slice('open:'.length))
          .filter((instance) => instance !== this.#instance);
        const health = await this.#instances.health(others);
        const dead = others.filter((instance) => health.get(instance) === 'gone');
        await this.#connections.script('numberingSeal', [key], [run, this.#instance, ...dead]);
      }),
    );
  }

  /**
   * Makes all numbers jump once and recounts sums, for a restored backup or after Redis lost writes, and forgets the loss. Returns the instances that
   * run now; if there are any, nothing was done.
   */
  async markRestored(): Promise<string[]> {
    const { commands } = this.#connections;
    const numbers = numbersOfMasters(commands, sharedKeys.numbering);
    const keys = numbers.map(sharedKeys.numbering);
    const open = (await guarded(() => Promise.all(keys.map((key) => commands.hkeys(key)))))
      .flat()
      .flatMap((field) => (field.startsWith('open:') ? [field.slice('open:'.length)] : []));
    // A loss took the names of those that append out of the records, but each running instance goes on writing its heartbeat.
    const beating = (await this.#instances.beating()).filter((instance) => instance !== this.#instance);
    const named = [...new Set([...open, ...beating])];
    const health = await this.#instances.health(named);
    const living = named.filter((instance) => health.get(instance) !== 'gone');
    if (living.length > 0) return living;
    await this.#connections.durably(keys, async () => {
      // Single commands, which Redis does not drop even if its users are wrong again. A record of no process, never sealed, is replaced when it is opened.
      const record = { run: '', sealed: 'never', restored: Date.now() };
      for (const key of keys) await guarded(() => commands.hset(key, record));
      await recount(this.#connections);
      for (const number of numbers) await guarded(() => this.#lostWrites.forget(number));
    });
    return [];
  }

  async #open(robot: string, run: string): Promise<Opened | null> {
    const number = numberBeside(this.#connections.commands, robotKeys.log(robot), sharedKeys.numbering);
    // A node without a key for its record is never sealed, so its numbers jump.
    if (number === null) return this.#remember(run, { key: '', id: run, predecessors: new Set() });
    const key = sharedKeys.numbering(number);
    const keys: [string, string, string] = [key, sharedKeys.markTogether(number), sharedKeys.markAlone(number)];
    const reply = await this.#connections.script('numberingOpen', keys, [run, this.#instance]);
    if (reply[0] === 'elsewhere') return null;
    // If Redis drops this opening, and with it the numbers that follow, the next process must not continue from the record before.
    await this.#lostWrites.mark(number);
    const [state, id, predecessors, succeeds] = reply;
    if (state === 'open') return this.#remember(run, { key, id, predecessors: setOf(predecessors) });
    const onDisk = await this.#onDisk(key, succeeds === '1');
    const settled = await this.#connections.script('numberingSettle', [key], [run, onDisk ? 1 : '']);
    return settled.length === 0 ? null : this.#remember(run, { key, id: settled[0], predecessors: setOf(settled[1]) });
  }

  async #onDisk(key: string, succeeds: boolean): Promise<boolean> {
    // A replica that lagged when it was promoted may hold a seal that has been opened since: seals of other processes are not trusted.
    if (this.#connections.canFailOver) return false;
    try {
      const node = this.#nodeOf(key);
      // Without persistence, the same process cannot come back with a sealed record.
      if (!succeeds && (await persistenceOf(node)) === 'none') return true;
      await this.#connections.durably([key], () => Promise.resolve());
      return this.#connections.waitsForDisk() || (await untilOnDisk(node));
    } catch (error) {
      if (error instanceof UncertainWrite) return false;
      throw asStoreError(error);
    }
  }

  #remember(run: string, opened: Opened): Opened {
    this.#opened.set(run, opened);
    if (this.#opened.size > openedMax) this.#opened.delete(this.#opened.keys().next().value!);
    this.#openedText = [...this.#opened].map(([each, { id }]) => `${each}=${id}`).join(' ');
    return opened;
  }

  #nodeOf(key: string): Redis {
    const node = nodeOf(this.#connections.commands, key);
    if (node === undefined) throw new Error(`no node for ${key}`);
    return node;
  }
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').filter((word) => word !== ''));
}
