/** Heartbeats of instances. All robots of a robot-link depend on its one heartbeat, so that an idle robot costs Redis nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { guarded } from '../redis/errors.js';
import { instanceKeys, sharedKeys } from '../redis/keys.js';
import { scannedKeys } from '../redis/scans.js';
import type { Connections } from '../redis/connections.js';
import type { RedisHealth } from '../redis/health.js';
import type { RedisClock } from './clock.js';

const beatMs = 1000;
/** Age at which a heartbeat is late: the instance's robots count as moving. */
export const beatLateMs = 3000;
/** Age of a heartbeat at which the instance counts as dead: its robots are away. */
export const beatGoneMs = 6000;
/**
 * How long a robot that its instance asked to reconnect counts as online: as long as one whose instance died. A robot needs two failed dials (up to
 * 0.5 + 1.3 + 2.6 s), or a slow TLS handshake, no more than that.
 */
export const movingMaxMs = 6000;
/** Maximum difference of Redis' time between two instances (`clock.ts`), with a margin. */
export const clocksApartMs = 250;

/** How long a mark of `instance-gone.lua` is kept. An instance without a heartbeat for longer assumes that there was one. */
const markKeptMs = 3_600_000;

const sweepEvery = 10;
const addressesTtlMs = 60_000;

export type InstanceHealth = 'alive' | 'late' | 'gone';

export type OfferedAddress = 'link' | 'page';

export class Instances {
  readonly #connections: Connections;
  readonly #clock: RedisClock;
  readonly #redisHealth: RedisHealth;
  readonly #instance: string;
  readonly #onError: (error: Error) => void;
  readonly #withHeartbeat: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #announced = false;
  #beatSentAt: number | null = null;
  #onLapse: () => void = () => {};
  /** The last mark that this instance found in place of its heartbeat. */
  #mark = '';
  /** The last heartbeat before the lapse that was noticed last; performance.now(). */
  #lapsedAfter: number | null = null;
  #offer: { what: OfferedAddress; address: string } | null = null;
  #addressWrites = 0;

  constructor(connections: Connections, clock: RedisClock, redisHealth: RedisHealth, instance: string, onError: (error: Error) => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#redisHealth = redisHealth;
    this.#instance = instance;
    this.#onError = onError;
  }

  /** Runs the work once a second; a failure is reported. */
  withBeat(work: () => Promise<void>): void {
    this.#withHeartbeat.push(work);
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), beatMs);
    this.#timer.unref();
  }

  /** Starts the heartbeat. A robot-link calls it before it takes its first robot, a gateway before its first call under an Idempotency-Key. */
  async announce(): Promise<void> {
    if (this.#announced) return;
    await this.#beat();
    this.#announced = true;
  }

  /** The listener is called when this instance continues after a pause, or a loss of Redis, in which a reader saw its robots as away. */
  onLapse(listener: () => void): void {
    this.#onLapse = listener;
  }

  /** Returns whether a reader, whose clock may be slightly ahead, can see the instance as dead or may just have done so. */
  async mayLookGone(instance: string): Promise<boolean> {
    const now = this.#clock.now();
    const beat = await guarded(() => this.#connections.commands.get(instanceKeys.beat(instance)));
    return beat === null || now - Number(beat) > beatGoneMs - clocksApartMs;
  }

  /** Publishes the address with every heartbeat until `withdraw` or `stop`. Never rejects: if Redis refuses it now, the next heartbeat retries. */
  async offer(what: OfferedAddress, address: string): Promise<void> {
    this.#offer = { what, address };
    try {
      await this.#publishAddress();
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  /** In a fixed order. */
  async offered(what: OfferedAddress): Promise<string[]> {
    const since = Math.floor(this.#clock.now()) - beatLateMs;
    const addresses = await guarded(() => this.#connections.commands.zrangebyscore(sharedKeys.addresses(what), since, '+inf'));
    return addresses.toSorted();
  }

  /** Withdraws the address, so that no new client is sent there; another instance with the same address publishes it again within a second. */
  async withdraw(): Promise<void> {
    const offer = this.#offer;
    this.#offer = null;
    if (offer !== null) await this.#connections.commands.zrem(sharedKeys.addresses(offer.what), offer.address).catch(() => {});
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.withdraw();
    if (!this.#announced) return;
    this.#announced = false;
    await this.#connections.commands.del(instanceKeys.beat(this.#instance)).catch(() => {});
  }

  /** Returns the instances with a heartbeat. It reads the names of all keys. */
  async beating(): Promise<string[]> {
    const found = new Set<string>();
    const [before, after] = instanceKeys.beat('*').split('*') as [string, string];
    for await (const keys of scannedKeys(this.#connections, instanceKeys.beat('*')))
      for (const key of keys) found.add(key.slice(before.length, -after.length));
    return [...found];
  }

  /** Takes one pipeline, and a script for each instance that is found dead for the first time. */
  async health(instances: readonly string[]): Promise<Map<string, InstanceHealth>> {
    const unique = [...new Set(instances)];
    // Before the reads: a heartbeat written meanwhile counts as fresh.
    const now = this.#clock.now();
    const beats = await guarded(() => Promise.all(unique.map((instance) => this.#connections.commands.get(instanceKeys.beat(instance)))));
    const judged = unique.map(async (instance, i) => [instance, await this.#judge(instance, beats[i] ?? null, now)] as const);
    return new Map(await Promise.all(judged));
  }

  /** An instance is dead only once that is marked in Redis, where it finds the mark if it continues. */
  async #judge(instance: string, beat: string | null, now: number): Promise<InstanceHealth> {
    const health = healthOf(beat, now);
    if (health !== 'gone' || isMark(beat)) return health;
    const key = instanceKeys.beat(instance);
    // Redis stalled, and serves this instance again: it may serve the other one a moment later.
    if (this.#redisHealth.servedForMs(key) <= beatGoneMs) return 'late';
    return healthOf(await this.#connections.script('instanceGone', [key], [beat ?? '', markKeptMs]), now);
  }

  async #tick(): Promise<void> {
    try {
      const [, refused] = await Promise.all([this.#clock.sync(), this.#redisHealth.beat()]);
      if (refused !== null) throw refused;
      const report = (error: unknown): void => this.#onError(error as Error);
      const others = this.#withHeartbeat.map((work) => work().catch(report));
      await Promise.all([this.#announced && this.#beat(), this.#publishAddress(), ...others]);
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  async #publishAddress(): Promise<void> {
    if (this.#offer === null) return;
    const { commands } = this.#connections;
    const key = sharedKeys.addresses(this.#offer.what);
    const now = Math.round(this.#clock.now());
    const { address } = this.#offer;
    const sweeps = this.#addressWrites++ % sweepEvery === 0;
    await guarded(() =>
      Promise.all([
        commands.zadd(key, now, address),
        ...(sweeps ? [commands.zremrangebyscore(key, '-inf', now - 2 * beatGoneMs), commands.pexpire(key, addressesTtlMs)] : []),
      ]),
    );
  }

  async #beat(): Promise<void> {
    const sentAt = performance.now();
    const before = this.#beatSentAt;
    for (;;) {
      const now = Math.round(this.#clock.now());
      const mark = await this.#connections.script('instanceBeat', [instanceKeys.beat(this.#instance)], [now, beatGoneMs, this.#mark]);
      if (mark === 1) break;
      // Notify before the heartbeat is sent again: an instance that takes a robot over meanwhile still sees this one as dead.
      if (mark !== this.#mark) {
        this.#mark = mark;
        this.#lapsedAfter = before;
        this.#onLapse();
      }
    }
    this.#beatSentAt = sentAt;
    if (before === null) return;
    const lapseMs = performance.now() - before;
    if (lapseMs > beatLateMs) this.#connections.vitals.lateHeartbeats += 1;
    // Several heartbeats may be in flight after a pause.
    if (lapseMs <= beatGoneMs - clocksApartMs || this.#lapsedAfter === before) return;
    this.#lapsedAfter = before;
    if (lapseMs > markKeptMs) this.#onLapse();
    else void this.#lapseUnmarked();
  }

  /** Gateways of 0.10.0 and 0.10.1 leave no mark. This method goes when this release runs beside none of them. */
  async #lapseUnmarked(): Promise<void> {
    // A gateway that read while this instance had no heartbeat announces itself again within a second.
    await sleep(beatLateMs, undefined, { ref: false });
    if (!this.#announced) return;
    const have = await this.#haveOlderReaders().catch((error: unknown) => {
      this.#onError(error as Error);
      return true;
    });
    if (have) this.#onLapse();
  }

  async #haveOlderReaders(): Promise<boolean> {
    for await (const keys of scannedKeys(this.#connections, instanceKeys.reads('*'))) {
      const announced = await guarded(() => Promise.all(keys.map((key) => this.#connections.commands.get(key))));
      if (announced.some((text) => text?.includes('"release":"0.10.'))) return true;
    }
    return false;
  }
}

/** @param beat null: none. A mark counts as a very old heartbeat. */
function healthOf(beat: string | null, now: number): InstanceHealth {
  if (beat === null || now - Number(beat) > beatGoneMs) return 'gone';
  return now - Number(beat) > beatLateMs ? 'late' : 'alive';
}

function isMark(beat: string | null): boolean {
  return beat?.startsWith('-') === true;
}
