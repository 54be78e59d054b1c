/** Faults that another account's programs cause. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { accountFlood } from '../../src/faults/account-flood.js';
import { halfSentBodies } from '../../src/faults/half-sent-bodies.js';
import type { FaultWorld } from './fault-world.js';

export function accountFaults(world: () => FaultWorld): void {
  it('account-flood: gateways refuse most of the flood as busy, and nothing of it waits once it is healed', async () => {
    const busy = async (): Promise<number> => {
      const texts = await Promise.all(world().system.gateways.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
      return texts.reduce((sum, text) => sum + Number(/^perch_gateway_renders_busy_total\S* (\d+)/m.exec(text)?.[1] ?? 0), 0);
    };
    const before = await busy();
    await world().during(accountFlood, () => until(async () => (await busy()) > before + 3, { timeoutMs: 20_000, what: 'refusals as busy' }));
    const waiting = (): Promise<{ scenes: number; uploads: number }> => world().store.jobs.waiting();
    await until(async () => (await waiting()).uploads === 0, { what: 'no upload to wait' });
    assert.deepEqual(await waiting(), { scenes: 0, uploads: 0 });
  });

  it('half-sent-bodies: the gateway makes most of the bodies wait, and none of them is left once the fault is healed', async () => {
    const sum = async (name: string): Promise<number> => {
      const texts = await Promise.all(world().system.gateways.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
      return texts.reduce((total, text) => total + Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? NaN), 0);
    };
    await world().during(halfSentBodies, () =>
      until(async () => (await sum('perch_gateway_waiting_bodies')) >= 40, { timeoutMs: 20_000, what: 'bodies to wait' }),
    );
    // A body that waits is not read from: its connection is noticed to be closed only when its turn comes, or after 30 s.
    await until(async () => (await sum('perch_gateway_waiting_bodies')) + (await sum('perch_gateway_body_bytes')) === 0, { timeoutMs: 40_000 });
  });
}
