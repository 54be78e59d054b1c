/**
 * The heartbeat of this instance, and whether another one is alive. Every robot of a robot-link hangs on its instance's one heartbeat,
 * so that an idle robot costs Redis nothing.
 */
import { guarded } from '../redis/guarded.js';
import { instanceKeys, sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import type { RedisClock } from './clock.js';

const beatMs = 1000;
/** A heartbeat older than this is late: the instance's robots count as moving. */
export const beatLateMs = 3000;
/** Without a heartbeat for this long its robots are away. */
export const beatGoneMs = 6000;
/** By how much Redis' time may differ between two instances (`clock.ts`), ms, and some more. */
export const clocksApartMs = 250;

/** How often what is left of instances that are gone is swept out of the addresses, in heartbeats. */
const sweepEvery = 10;
const addressesTtlMs = 60_000;

export type InstanceHealth = 'alive' | 'late' | 'gone';

/** Where something of the service is reached: robots dial `link`; people open `page`. */
export type OfferedAddress = 'link' | 'page';

export class Instances {
  readonly #connections: Connections;
  readonly #clock: RedisClock;
  readonly #instance: string;
  readonly #onError: (error: Error) => void;
  readonly #alongside: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #announced = false;
  /** performance.now() when the last heartbeat that Redis took was sent. */
  #beatSentAt: number | null = null;
  #onLapse: () => void = () => {};
  #offer: { what: OfferedAddress; address: string } | null = null;
  /** Times that it was told. */
  #told = 0;

  constructor(connections: Connections, clock: RedisClock, instance: string, onError: (error: Error) => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#instance = instance;
    this.#onError = onError;
  }

  /** Runs the work with every heartbeat, once a second; its failure is reported and stops nothing else. */
  withBeat(work: () => Promise<void>): void {
    this.#alongside.push(work);
  }

  /** Keeps the clock in step. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#tick(), beatMs);
    this.#timer.unref();
  }

  /** From now on this instance is seen as alive: a robot-link before the first robot is taken, a gateway before its first call under an Idempotency-Key. */
  async announce(): Promise<void> {
    if (this.#announced) return;
    await this.#beat();
    this.#announced = true;
  }

  /**
   * Calls back when this instance can have looked gone to others (it was paused, or Redis was away) although it goes on: others may have seen
   * its robots as away.
   */
  onLapse(listener: () => void): void {
    this.#onLapse = listener;
  }

  /** Whether some reader, whose clock may be a little ahead, can see or have just seen the instance as gone. */
  async mayLookGone(instance: string): Promise<boolean> {
    const now = this.#clock.now();
    const beat = await guarded(() => this.#connections.commands.get(instanceKeys.beat(instance)));
    return beat === null || now - Number(beat) > beatGoneMs - clocksApartMs;
  }

  /**
   * From now on, until it stops, others find this address: it is told beside the heartbeat. Rejects never: where Redis refuses it now, a
   * heartbeat later may do.
   */
  async offer(what: OfferedAddress, address: string): Promise<void> {
    this.#offer = { what, address };
    try {
      await this.#tellAddress();
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  /** The addresses that living instances offer, in a fixed order. */
  async offered(what: OfferedAddress): Promise<string[]> {
    const since = Math.floor(this.#clock.now()) - beatLateMs;
    const addresses = await guarded(() => this.#connections.commands.zrangebyscore(sharedKeys.addresses(what), since, '+inf'));
    return addresses.toSorted();
  }

  /** Nobody new is to come to the address that was offered; where another instance offers the same, it says so again within a second. */
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

  /** @returns health by instance, for as many as are asked in one pipeline */
  async health(instances: readonly string[]): Promise<Map<string, InstanceHealth>> {
    const unique = [...new Set(instances)];
    // The time before the reads: a heartbeat that is written meanwhile counts.
    const now = this.#clock.now();
    const beats = await guarded(() => Promise.all(unique.map((instance) => this.#connections.commands.get(instanceKeys.beat(instance)))));
    return new Map(unique.map((instance, i) => [instance, healthOf(beats[i] ?? null, now)]));
  }

  async #tick(): Promise<void> {
    try {
      await this.#clock.sync();
      const report = (error: unknown): void => this.#onError(error as Error);
      const alongside = this.#alongside.map((work) => work().catch(report));
      await Promise.all([this.#announced && this.#beat(), this.#tellAddress(), ...alongside]);
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  async #tellAddress(): Promise<void> {
    if (this.#offer === null) return;
    const { commands } = this.#connections;
    const key = sharedKeys.addresses(this.#offer.what);
    const now = Math.round(this.#clock.now());
    const { address } = this.#offer;
    const sweeps = this.#told++ % sweepEvery === 0;
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
    const lapsed = (at: number): boolean => before !== null && at - before > beatGoneMs - clocksApartMs;
    // Told before the heartbeat is back: whoever takes a robot over meanwhile still sees this instance as gone.
    const lapsedBefore = lapsed(sentAt);
    if (lapsedBefore) this.#onLapse();
    const now = Math.round(this.#clock.now());
    await this.#connections.script('instanceBeat', [instanceKeys.beat(this.#instance)], [now, beatGoneMs]);
    this.#beatSentAt = sentAt;
    const confirmedAt = performance.now();
    if (before !== null && confirmedAt - before > beatLateMs) this.#connections.vitals.lateHeartbeats += 1;
    if (!lapsedBefore && lapsed(confirmedAt)) this.#onLapse();
  }
}

function healthOf(beat: string | null, now: number): InstanceHealth {
  if (beat === null || now - Number(beat) > beatGoneMs) return 'gone';
  return now - Number(beat) > beatLateMs ? 'late' : 'alive';
}
