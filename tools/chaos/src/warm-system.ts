/** A warmed-up system, and a store on its Redis. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { none } from './faults/none.js';
import type { Random } from './random.js';
import { runRound, type RoundOptions } from './round.js';
import { startSystem, type RedisShape, type System } from './system/system.js';

export interface WarmSystemOptions extends Pick<RoundOptions, 'stalls' | 'cpuSteal' | 'neighbours' | 'stopping'> {
  redis: RedisShape;
  seed: Random;
  env: NodeJS.ProcessEnv;
  log?: ((line: string, place: string) => void) | undefined;
}

export class WarmSystem {
  readonly system: System;
  readonly store: Store;
  readonly crashes: string[];

  private constructor(system: System, store: Store, crashes: string[]) {
    this.system = system;
    this.store = store;
    this.crashes = crashes;
  }

  /** @throws if something does not start, or there is no traffic before any fault; nothing is left running then */
  static async open(options: WarmSystemOptions): Promise<WarmSystem> {
    const { redis, seed, env, log } = options;
    const crashes: string[] = [];
    const system = await startSystem({
      redis,
      random: seed.fork('system'),
      env,
      dir: mkdtempSync(join(tmpdir(), 'perch-chaos-')),
      onCrash: (place, how) => crashes.push(`${place} ended with ${how}`),
      ...(log === undefined ? {} : { log }),
    });
    let store: Store | null = null;
    try {
      store = await openStore({ url: system.redis.url, instance: 'chaos' });
      const warmSystem = new WarmSystem(system, store, crashes);
      await warmSystem.#warmUp(options);
      return warmSystem;
    } catch (error) {
      await store?.close().catch(() => undefined);
      await system.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.store.close().catch(() => undefined);
    await this.system.stop();
  }

  /** Connections, caches and subscriptions are created by the first traffic; the resources held after it are the baseline. */
  async #warmUp({ seed, stalls, cpuSteal, neighbours, stopping }: WarmSystemOptions): Promise<void> {
    const { system, store, crashes } = this;
    const plan = { round: 0, redis: system.shape, faults: [none] };
    const warmUp = { system, store, crashes, plan, seed: seed.seed, random: seed.fork('warm-up'), stalls, cpuSteal, neighbours, stopping };
    const { failure } = await runRound({ ...warmUp, recordsBaseline: true });
    if (failure !== null) throw new Error(`no traffic before any fault: ${failure}`);
  }
}
