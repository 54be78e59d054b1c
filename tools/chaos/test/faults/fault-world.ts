/** A world for faults: a real system, and robots that nobody looks at. What each test has in common. */
import assert from 'node:assert/strict';
import { askRedis } from '@perch/local-redis';
import type { Store } from '@perch/store';
import type { Fault, World } from '../../src/faults/fault.js';
import { Random } from '../../src/random.js';
import type { Instance } from '../../src/system/instance.js';
import type { System } from '../../src/system/system.js';

export class FaultWorld {
  readonly system: System;
  readonly store: Store;
  readonly #world: World;
  /** What a fault that revokes keys does. */
  revokeKeys: () => Promise<void> = () => Promise.resolve();

  constructor(system: System, store: Store) {
    this.system = system;
    this.store = store;
    const robots = { ids: [], misbehave: () => () => undefined, moveTo: () => undefined };
    this.#world = { system, neighbours: () => [], robots, store, revokeKeys: () => this.revokeKeys() };
  }

  /** Injects, looks, heals. @param seed one that draws the victim the test wants */
  async during(fault: Fault, look: (lostSince: () => number | null) => Promise<unknown>, seed: string = fault.kind): Promise<void> {
    const injected = await fault.inject(this.#world, new Random(seed));
    assert.ok(injected.holdMs >= 0 && injected.holdMs <= 8000);
    try {
      await look(injected.lostSince);
    } finally {
      await injected.heal();
    }
  }

  /** The one instance of which this does not hold. */
  unwell(track: 'running' | 'reachable' | 'served'): Instance {
    const found = this.system.instances.filter((one) => !one[track].well);
    assert.equal(found.length, 1);
    return found[0]!;
  }

  /** Whether the one Redis answers nothing for a while. */
  isSilent(): Promise<boolean> {
    return askRedis(this.system.redis.nodes[0]!.port, ['SET', 'x', '1'], 400).then(
      () => false,
      (error: Error) => error.message.includes('did not answer'),
    );
  }

  /** What the one Redis answers. */
  readonly ask = (...words: string[]): Promise<string> => askRedis(this.system.redis.nodes[0]!.port, words);
  readonly set = (name: string): Promise<string> => this.ask('SET', name, '1');
}

export async function isReady({ admin }: Instance): Promise<boolean> {
  return (await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(3000) })).ok;
}
