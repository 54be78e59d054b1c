/**
 * The heartbeat of this instance, and whether another one is alive. Every robot of a robot-link hangs on its instance's one heartbeat,
 * so that an idle robot costs Redis nothing.
 */
import { guarded } from './guarded.js';
import { instanceKeys } from './keys.js';
import type { Connections } from './redis.js';
import type { RedisClock } from './clock.js';

const beatMs = 1000;
/** A heartbeat older than this is late: the instance's robots count as moving. */
export const beatLateMs = 3000;
/** Without a heartbeat for this long its robots are away. */
export const beatGoneMs = 6000;

export type InstanceHealth = 'alive' | 'late' | 'gone';

export class Instances {
  readonly #connections: Connections;
  readonly #clock: RedisClock;
  readonly #instance: string;
  readonly #onError: (error: Error) => void;
  #timer: NodeJS.Timeout | null = null;
  #announced = false;

  constructor(connections: Connections, clock: RedisClock, instance: string, onError: (error: Error) => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#instance = instance;
    this.#onError = onError;
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

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    if (!this.#announced) return;
    this.#announced = false;
    await this.#connections.commands.del(instanceKeys.beat(this.#instance)).catch(() => {});
  }

  /** @returns health by instance, for as many as are asked in one pipeline */
  async health(instances: readonly string[]): Promise<Map<string, InstanceHealth>> {
    const unique = [...new Set(instances)];
    const beats = await guarded(() => Promise.all(unique.map((instance) => this.#connections.commands.get(instanceKeys.beat(instance)))));
    const now = this.#clock.now();
    return new Map(unique.map((instance, i) => [instance, healthOf(beats[i] ?? null, now)]));
  }

  async #tick(): Promise<void> {
    try {
      await this.#clock.sync();
      if (this.#announced) await this.#beat();
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  async #beat(): Promise<void> {
    await this.#connections.commands.set(instanceKeys.beat(this.#instance), Math.round(this.#clock.now()), 'PX', beatGoneMs);
  }
}

function healthOf(beat: string | null, now: number): InstanceHealth {
  if (beat === null || now - Number(beat) > beatGoneMs) return 'gone';
  return now - Number(beat) > beatLateMs ? 'late' : 'alive';
}
