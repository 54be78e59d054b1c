/** Faults of the lines between programs, services and Redis. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { cutRedis } from '../../src/faults/cut-redis.js';
import { cutPrograms } from '../../src/faults/cut-programs.js';
import { halfOpenRedis } from '../../src/faults/half-open-redis.js';
import { heldRedis } from '../../src/faults/held-redis.js';
import type { Instance } from '../../src/system/instance.js';
import { isReady, type FaultWorld } from './fault-world.js';

const timeoutMs = 20_000;

export function lineFaults(world: () => FaultWorld): void {
  it('cut-redis: all lines of one instance are others afterwards, and of nobody else', async () => {
    const before = world().system.instances.map(({ redis }) => redis!.lines);
    let victim: Instance | null = null;
    await world().during(cutRedis, () => Promise.resolve(void (victim = world().unwell('served'))));
    for (const [i, one] of world().system.instances.entries()) {
      const same = one.redis!.lines.filter((line) => before[i]!.includes(line)).length;
      assert.equal(same, one === victim ? 0 : before[i]!.length, one.place);
    }
  });

  it('half-open-redis: the instance notices that Redis says nothing, and is ready again after', async () => {
    await world().during(halfOpenRedis, () => unready(world().unwell('served')));
    for (const one of world().system.instances) await until(() => isReady(one), { timeoutMs, everyMs: 100, what: `${one.place} to be ready` });
  });

  it('held-redis: nothing passes, then everything does', async () => {
    await world().during(heldRedis, () => unready(world().unwell('served')));
  });

  it('cut-programs: a call under way ends in a reset', async () => {
    const calls = world().system.gateways.map(async ({ url, clients }) => {
      // A request that never ends.
      const body = new ReadableStream({ pull: () => new Promise(() => {}) });
      const call = fetch(`${url}/v1/robots/r/say`, { method: 'POST', body, duplex: 'half' } as RequestInit);
      call.catch(() => undefined);
      await until(() => clients!.lines.length > 0);
      return { call };
    });
    const started = await Promise.all(calls);
    await world().during(cutPrograms, async () => {
      const victim = world().unwell('reachable');
      const { call } = started[world().system.gateways.indexOf(victim)]!;
      await assert.rejects(call);
    });
    for (const { clients } of world().system.gateways) clients!.cut();
  });
}

async function unready(victim: Instance): Promise<void> {
  await until(async () => !(await isReady(victim)), { timeoutMs, everyMs: 100, what: `${victim.place} to notice` });
}
