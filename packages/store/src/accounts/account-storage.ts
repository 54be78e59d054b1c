/**
 * Storage quota of an account: events, idempotency records, cards, screens, labels, messages of webhooks (`media-quota.ts`: media). On a Cluster no
 * script can sum them: scripts count the bytes of each place, and instances report places that changed by 16 KB or more to the account's node, at
 * most once a second, and learn the approximate total. A full account gets no new idempotency records, screens, webhooks or messages; event logs keep
 * their share.
 */
import type { RedisClock } from '../instances/clock.js';
import { StoreError } from '../redis/errors.js';
import type { Instances } from '../instances/instances.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

export const accountStorageMbDefault = 50;
const reportedFromBytes = 16 * 1024;
/** Lifetime of a learned total; afterwards the account counts as not full until it is reported again. */
const knownForMs = 60_000;
/** Age at which the total of a full account is read again. */
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

  /** @param ttlMs time until the place expires; 0: never */
  note(account: string, place: string, bytes: number, ttlMs = 0): void {
    const before = this.#reported.get(`${account} ${place}`) ?? 0;
    if (Math.abs(bytes - before) >= reportedFromBytes || this.isFull(account)) this.#change(account, place, { bytes, ttlMs });
  }

  /** Notes a place that any instance writes, rarely: its former bytes say what was reported, not what this instance did. */
  noteReplaced(account: string, place: string, formerBytes: number, bytes: number, ttlMs = 0): void {
    if (Math.max(formerBytes, bytes) >= reportedFromBytes || this.isFull(account)) this.#change(account, place, { bytes, ttlMs });
  }

  #change(account: string, place: string, changed: Place): void {
    let places = this.#changed.get(account);
    if (places === undefined) this.#changed.set(account, (places = new Map<string, Place>()));
    places.set(place, changed);
  }

  isFull(account: string): boolean {
    const known = this.#known.get(account);
    if (known === undefined || known.total <= this.#bytesMax) return false;
    const ageMs = performance.now() - known.at;
    if (ageMs > askAgainMs && !this.#changed.has(account)) this.#changed.set(account, new Map());
    return ageMs < knownForMs;
  }

  isHalfFree(account: string): boolean {
    const known = this.#known.get(account);
    return known === undefined || known.total <= this.#bytesMax / 2 || performance.now() - known.at >= knownForMs;
  }

  /** @returns bytes; Infinity if the account is not full */
  eventsShare(account: string): number {
    if (!this.isFull(account)) return Infinity;
    return Math.max(shareMinBytes, Math.floor(this.#bytesMax / Math.max(1, this.#known.get(account)!.logs)));
  }

  full(): StoreError {
    const mb = this.#bytesMax / 2 ** 20;
    const text = `The account has stored ${mb} MB, its quota: events, labels of robots, answers of calls with an Idempotency-Key, and messages of webhooks. Remove robots or webhooks, or send fewer such calls; their answers are deleted after ten minutes.`;
    return new StoreError('full', text);
  }

  /** @returns bytes of all places, from the account's node */
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
    const [total, logs] = await this.#redis.script('storageNote', [accountKeys.stored(account), accountKeys.record(account)], [now, ...args]);
    for (const [place, { bytes }] of places) this.#reported.set(`${account} ${place}`, bytes);
    this.#known.set(account, { total, logs, at: performance.now() });
    return total;
  }
}

export const storedPlaces = {
  events: (robot: string) => `events:${robot}`,
  calls: (robot: string) => `calls:${robot}`,
  card: (robot: string) => `card:${robot}`,
  screens: (robot: string) => `screens:${robot}`,
  webhook: (webhook: string) => `webhook:${webhook}`,
} as const;
