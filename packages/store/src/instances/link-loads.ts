/** Publishes how many robots each robot-link holds, with its heartbeat, so that robot-links can rebalance: three commands a second. */
import type { RedisClock } from './clock.js';
import { guarded } from '../redis/errors.js';
import { beatLateMs, type Instances } from './instances.js';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

const keptMs = 60_000;

export interface OwnLoad {
  sessions: number;
  accepted: number;
  accepting: boolean;
}

export interface LinkLoad extends OwnLoad {
  instance: string;
}

export class LinkLoads {
  readonly #redis: Connections;
  readonly #clock: RedisClock;
  readonly #instance: string;
  #own: (() => OwnLoad) | null = null;
  #learned: (loads: LinkLoad[]) => void = () => {};

  constructor(redis: Connections, clock: RedisClock, instances: Instances, instance: string) {
    this.#redis = redis;
    this.#clock = clock;
    this.#instance = instance;
    instances.withBeat(() => this.#exchange());
  }

  /** @param learned called after each exchange with the loads of all living robot-links, including this one */
  share(own: () => OwnLoad, learned: (loads: LinkLoad[]) => void): void {
    this.#own = own;
    this.#learned = learned;
  }

  /** Never rejects: others drop an outdated entry. */
  async withdraw(): Promise<void> {
    if (this.#own === null) return;
    this.#own = null;
    await this.#redis.commands.hdel(sharedKeys.linkLoads(), this.#instance).catch(() => {});
  }

  async #exchange(): Promise<void> {
    const own = this.#own?.();
    if (own === undefined) return;
    const { commands } = this.#redis;
    const key = sharedKeys.linkLoads();
    const mine = JSON.stringify({ at: Math.floor(this.#clock.now()), ...own });
    const [, , all] = await guarded(() =>
      Promise.all([commands.hset(key, this.#instance, mine), commands.pexpire(key, keptMs), commands.hgetall(key)]),
    );
    // Withdrawn meanwhile: the write above may have followed it.
    if (this.#own === null) return void (await guarded(() => commands.hdel(key, this.#instance)));
    const since = this.#clock.now() - beatLateMs;
    const loads: LinkLoad[] = [];
    const late: string[] = [];
    for (const [instance, json] of Object.entries(all)) {
      const load = readLoad(json);
      if (load === null || (load.at < since && instance !== this.#instance)) late.push(instance);
      else loads.push({ instance, sessions: load.sessions, accepted: load.accepted, accepting: load.accepting });
    }
    this.#learned(loads);
    if (late.length > 0) await guarded(() => commands.hdel(key, ...late));
  }
}

function readLoad(json: string): (OwnLoad & { at: number }) | null {
  try {
    const { at, sessions, accepted, accepting } = JSON.parse(json) as Record<string, unknown>;
    if (!isCount(at) || !isCount(sessions) || !isCount(accepted) || typeof accepting !== 'boolean') return null;
    return { at, sessions, accepted, accepting };
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
