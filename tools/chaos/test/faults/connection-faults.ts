import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Instance } from '../../src/system/instance.js';
import { faultOf, isReady, type FaultTestEnvironment } from './fault-environment.js';

const timeoutMs = 20_000;

export function connectionFaults(environment: () => FaultTestEnvironment): void {
  it('cut-redis: cuts every connection of one instance and of no other, and the instance connects again', async () => {
    const { instances } = environment().system;
    const before = instances.map(({ redis }) => redis!.connections);
    const left = (i: number): number => instances[i]!.redis!.connections.filter((connection) => before[i]!.includes(connection)).length;
    let victim = -1;
    await environment().during(faultOf('cut-redis'), async () => {
      victim = instances.indexOf(environment().unhealthy('served'));
      // At once: if a busy machine delays Redis for seconds, instances replace connections by themselves.
      for (const [i, { place }] of instances.entries()) if (i !== victim) assert.equal(left(i), before[i]!.length, place);
      await until(() => left(victim) === 0, { timeoutMs, what: 'its connections to close' });
    });
    await until(() => instances[victim]!.redis!.connections.length > 0, { timeoutMs, what: 'its new connections' });
  });

  it('half-open-redis: the instance notices that Redis is silent, and is ready again afterwards', async () => {
    await environment().during(faultOf('half-open-redis'), () => unready(environment().unhealthy('served')));
    for (const one of environment().system.instances) await until(() => isReady(one), { timeoutMs, everyMs: 100, what: `${one.place} to be ready` });
  });

  it('held-redis: the instance notices that no data passes, and recovers', async () => {
    await environment().during(faultOf('held-redis'), () => unready(environment().unhealthy('served')));
  });

  it('forget-idle: connections that are used pass, and the instance replaces those that were forgotten', async () => {
    await environment().during(faultOf('forget-idle'), () => Promise.resolve(environment().unhealthy('served')));
    for (const one of environment().system.instances) await until(() => isReady(one), { timeoutMs, everyMs: 100, what: `${one.place} to be ready` });
  });

  it('cut-programs: ends an open call with a reset', async () => {
    const calls = environment().system.gateways.map(async ({ url, clients }) => {
      const body = new ReadableStream({ pull: () => new Promise(() => {}) });
      const call = fetch(`${url}/v1/robots/r/say`, { method: 'POST', body, duplex: 'half' } as RequestInit);
      call.catch(() => undefined);
      await until(() => clients!.connections.length > 0);
      return { call };
    });
    const started = await Promise.all(calls);
    await environment().during(faultOf('cut-programs'), async () => {
      const victim = environment().unhealthy('reachable');
      const { call } = started[environment().system.gateways.indexOf(victim)]!;
      await assert.rejects(call);
    });
    for (const { clients } of environment().system.gateways) clients!.cut();
  });
}

async function unready(victim: Instance): Promise<void> {
  await until(async () => !(await isReady(victim)), { timeoutMs, everyMs: 100, what: `${victim.place} to notice` });
}
