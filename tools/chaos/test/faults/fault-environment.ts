import assert from 'node:assert/strict';
import type { Store } from '@perch/store';
import type { Fault, FaultEnvironment } from '../../src/faults/fault.js';
import { faults } from '../../src/faults/faults.js';
import { Random } from '../../src/random.js';
import type { Instance } from '../../src/system/instance.js';
import type { System } from '../../src/system/system.js';

export class FaultTestEnvironment {
  readonly system: System;
  readonly store: Store;
  readonly #environment: FaultEnvironment;
  revokeKeys: () => Promise<void> = () => Promise.resolve();

  constructor(system: System, store: Store) {
    this.system = system;
    this.store = store;
    const robots = { ids: [], misbehave: () => () => undefined, moveTo: () => undefined };
    this.#environment = { system, neighbours: () => [], robots, store, revokeKeys: () => this.revokeKeys() };
  }

  /** @param seed draws the victim the test needs */
  async during(fault: Fault, check: (lostSince: () => number | null) => Promise<unknown>, seed: string = fault.kind): Promise<void> {
    const injected = await fault.inject(this.#environment, new Random(seed));
    assert.ok(injected.holdMs >= 0 && injected.holdMs <= 8000);
    try {
      await check(injected.lostSince);
    } finally {
      await injected.heal();
    }
  }

  unhealthy(track: 'running' | 'reachable' | 'served'): Instance {
    const found = this.system.instances.filter((one) => !one[track].well);
    assert.equal(found.length, 1);
    return found[0]!;
  }

  isSilent(): Promise<boolean> {
    return this.system.redis.nodes[0]!.ask(['SET', 'x', '1'], { timeoutMs: 400 }).then(
      () => false,
      (error: Error) => error.message.includes('did not answer'),
    );
  }

  readonly ask = (...words: string[]): Promise<string> => this.system.redis.nodes[0]!.ask(words);
  readonly set = (name: string): Promise<string> => this.ask('SET', name, '1');
}

export function faultOf(kind: string): Fault {
  const found = faults.find((fault) => fault.kind === kind);
  if (found === undefined) throw new Error(`no fault ${kind}`);
  return found;
}

export async function isReady({ admin }: Instance): Promise<boolean> {
  return (await fetch(`${admin}/readyz`, { signal: AbortSignal.timeout(3000) })).ok;
}
