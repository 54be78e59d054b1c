/**
 * Storage quota of an account: events, idempotency records and labels of its robots, messages of its webhooks.
 *
 * They lie on several nodes of a Cluster, so no script can check the sum. Scripts count the bytes of each place where it lies; instances report
 * places that changed by 16 KB or more to the account's node, at most once a second, and learn the account's total from the reply. An account that is
 * known to be full gets no new idempotency records, webhooks or messages. Events are never refused: the log of each robot keeps its share.
 * The quota is approximate, because reports are delayed and writes continue for up to a second until an instance learns the total.
 * Pictures and sounds live for a minute and have limits of their own (`storage-quota.ts`).
 */
import type { RedisClock } from '../instances/clock.js';
import { StoreError } from '../errors.js';
import type { Instances } from '../instances/instances.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export const accountStorageMbDefault = 50;
const reportedFromBytes = 16 * 1024;
/** Lifetime of a learned total, ms; afterwards the account counts as not full until it is reported again. */
const knownForMs = 60_000;
/** Age at which the total of a full account is requested again, ms. */
const askAgainMs = 1000;
const shareMinBytes = 16 * 1024;
const rememberedMax = 50_000;

interface Place {
  bytes: number;
  ttlMs: number;
}

export class AccountStorage {
  readonly #redis: Connections;
  readonly #clock: RedisClock;
  readonly #bytesMax: number;
  readonly #changed = new Map<string, Map<string, Place>>();
  /** Bytes by account and place, as last reported. */
  readonly #reported = new Map<string, number>();
  readonly #known = new Map<string, { total: number; logs: number; at: number }>();

  constructor(redis: Connections, clock: RedisClock, instances: Instances, mb: number) {
    this.#redis = redis;
    this.#clock = clock;
    this.#bytesMax = mb * 2 ** 20;
    instances.withBeat(() => this.report());
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  /** Records the size of a place for the next report. @param ttlMs time until it expires; 0: never */
  note(account: string, place: string, bytes: number, ttlMs = 0): void {
    const before = this.#reported.get(`${account} ${place}`) ?? 0;
    if (Math.abs(bytes - before) < reportedFromBytes && !this.isFull(account)) return;
    let places = this.#changed.get(account);
    if (places === undefined) this.#changed.set(account, (places = new Map<string, Place>()));
    places.set(place, { bytes, ttlMs });
  }

  isFull(account: string): boolean {
    const known = this.#known.get(account);
    if (known === undefined || known.total <= this.#bytesMax) return false;
    const ageMs = performance.now() - known.at;
    if (ageMs > askAgainMs && !this.#changed.has(account)) this.#changed.set(account, new Map());
    return ageMs < knownForMs;
  }

  /** Returns the bytes that the log of one robot may take; Infinity if the account is not full. */
  eventsShare(account: string): number {
    if (!this.isFull(account)) return Infinity;
    return Math.max(shareMinBytes, Math.floor(this.#bytesMax / Math.max(1, this.#known.get(account)!.logs)));
  }

  /** @throws {StoreError} full, when the account is known to be */
  requireRoom(account: string): void {
    if (this.isFull(account)) throw this.full();
  }

  full(): StoreError {
    const mb = this.#bytesMax / 2 ** 20;
    const text = `The account has stored ${mb} MB, its quota: events, labels of robots, answers of calls with an Idempotency-Key, and messages of webhooks. Remove robots or webhooks, or send fewer such calls; their answers are deleted after ten minutes.`;
    return new StoreError('full', text);
  }

  /** Reads the total from the account's node. @returns bytes of all places */
  async total(account: string): Promise<number> {
    return this.#report(account, new Map());
  }

  async report(): Promise<void> {
    const all = [...this.#changed];
    this.#changed.clear();
    if (this.#reported.size > rememberedMax) this.#reported.clear();
    if (this.#known.size > rememberedMax) this.#known.clear();
    await Promise.all(all.map(([account, places]) => this.#report(account, places)));
  }

  async #report(account: string, places: ReadonlyMap<string, Place>): Promise<number> {
    const now = Math.floor(this.#clock.now());
    const args = [...places].flatMap(([place, { bytes, ttlMs }]) => [place, bytes, ttlMs === 0 ? 0 : now + ttlMs]);
    const [total, logs] = (await this.#redis.script('storageNote', [accountKeys.stored(account), accountKeys.record(account)], [now, ...args])) as [
      number,
      number,
    ];
    for (const [place, { bytes }] of places) this.#reported.set(`${account} ${place}`, bytes);
    this.#known.set(account, { total, logs, at: performance.now() });
    return total;
  }
}

export const storedPlaces = {
  events: (robot: string) => `events:${robot}`,
  calls: (robot: string) => `calls:${robot}`,
  webhook: (webhook: string) => `webhook:${webhook}`,
} as const;
