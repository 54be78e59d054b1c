/** Suites of tests on a running system of the chaos run. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { needsRedisServer } from '@perch/testkit';
import { Random } from '../../src/random.js';
import { startSystem, type System } from '../../src/system/system.js';
import { FaultTestEnvironment } from './fault-environment.js';

export interface FaultSystem {
  system(): System;
  environment(): FaultTestEnvironment;
  /** Processes that ended unexpectedly: `renderer-0 ended with SIGKILL`. */
  readonly crashes: string[];
}

export function onFaultSystem(name: string, tests: (at: FaultSystem) => void): void {
  describe(name, function () {
    let system: System;
    let environment: FaultTestEnvironment;
    let store: Store | undefined;
    const crashes: string[] = [];

    before(async function () {
      needsRedisServer(this);
      system = await startSystem({
        redis: 'single',
        env: process.env,
        random: new Random('test'),
        dir: await mkdtemp(join(tmpdir(), 'perch-chaos-')),
        onCrash: (place, how) => crashes.push(`${place} ${how}`),
      });
      await system.settled(20_000);
      await system.recordBaseline();
      store = await openStore({ url: system.redis.url, instance: 'chaos-test' });
      environment = new FaultTestEnvironment(system, store);
    });
    after(async () => {
      await store?.close();
      await system?.stop();
    });

    tests({ system: () => system, environment: () => environment, crashes });
  });
}
