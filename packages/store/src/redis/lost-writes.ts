/**
 * Notices that Redis dropped transactions and scripts while it loaded its append-only file: it checks them against the user `default`, and drops them
 * where that user has no permissions (valkey issue 3983, redis issue 14541). Plain commands are not checked, so each master has one number twice:
 * raised in a transaction, and, once that is acknowledged, stored in a single write. Whatever a crash, a failover or an older copy takes away, the
 * second is never above the first; only dropped transactions leave it above. A loss is unnoticed if nobody raised the number between the last rewrite
 * of the append-only file and the restart: of 10 s at most.
 */
import { StoreError } from './errors.js';
import { sharedKeys } from './keys.js';
import { numbersOfMasters } from './cluster-nodes.js';
import type { Connections } from './connections.js';

const periodMs = 10_000;

export const lostWritesText =
  'Redis lost data: when it loaded its append-only file it dropped what scripts and transactions had written, because its user default may not run ' +
  'them. The data is in that file until Redis rewrites it: stop the services now and follow docs/runbooks/PerchRedisLostWrites.md.';

export class LostWrites {
  readonly #connections: Connections;
  readonly #onFound: (error: Error) => void;
  /** Numbers of the masters that lost writes. */
  #found = new Set<number>();
  #checkedAt = -Infinity;
  #reconnects = 0;

  /** @param onFound called once for each loss that this instance finds */
  constructor(connections: Connections, onFound: (error: Error) => void) {
    this.#connections = connections;
    this.#onFound = onFound;
  }

  /** Returns how many masters lost writes that no operator has acknowledged yet (`forget`). */
  async check(): Promise<number> {
    const numbers = numbersOfMasters(this.#connections.commands, sharedKeys.numbering);
    const checked = await Promise.allSettled(numbers.map((number) => this.#mark(number, periodMs)));
    // A master that does not answer hides no loss of another.
    const isLost = (number: number, i: number): boolean => {
      const result = checked[i]!;
      return result.status === 'fulfilled' ? result.value : this.#found.has(number);
    };
    const found = new Set(numbers.filter(isLost));
    this.#connections.vitals.lostWrites = found.size;
    const isNew = [...found].some((number) => !this.#found.has(number));
    this.#found = found;
    if (isNew) this.#onFound(new Error(lostWritesText));
    const failed = checked.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return found.size;
  }

  /** Marks that transactions from now on would be missed. `numbering.ts` calls it before an instance numbers events on a master. */
  async mark(number: number): Promise<void> {
    await this.#mark(number, 0);
  }

  /** Lets the masters count as complete again. A plain command, which a later load does not drop. */
  forget(number: number): Promise<unknown> {
    return this.#connections.commands.del(sharedKeys.markAlone(number));
  }

  async #mark(number: number, forMs: number): Promise<boolean> {
    const keys: [string, string] = [sharedKeys.markTogether(number), sharedKeys.markAlone(number)];
    const [state, raised] = await this.#connections.script('markTogether', keys, [forMs]);
    if (state === 'raised') await this.#connections.script('markAlone', keys, [raised]);
    return state === 'lost';
  }

  /** Checks every 10 s, and at once after each reconnection, which a restart of Redis causes. Call it with each heartbeat. */
  async beat(): Promise<void> {
    const { reconnects } = this.#connections.vitals;
    if (performance.now() - this.#checkedAt < periodMs && reconnects.commands === this.#reconnects) return;
    this.#reconnects = reconnects.commands;
    this.#checkedAt = performance.now();
    try {
      await this.check();
    } catch (error) {
      this.#checkedAt = -Infinity;
      // The heartbeat reports a Redis that does not answer.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
