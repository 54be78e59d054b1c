import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { accountFlood } from '../../src/faults/accounts/account-flood.js';
import { halfSentBodies } from '../../src/faults/accounts/half-sent-bodies.js';
import type { FaultTestEnvironment } from './fault-environment.js';

export function accountFaults(environment: () => FaultTestEnvironment): void {
  it('account-flood: gateways refuse most of the flood as busy, and no job of it is left after healing', async () => {
    const busy = async (): Promise<number> => {
      const texts = await Promise.all(environment().system.gateways.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
      return texts.reduce((sum, text) => sum + Number(/^perch_gateway_renders_busy_total\S* (\d+)/m.exec(text)?.[1] ?? 0), 0);
    };
    const before = await busy();
    await environment().during(accountFlood, () => until(async () => (await busy()) > before + 3, { what: 'refusals as busy' }));
    const waiting = (): Promise<Record<string, number>> => environment().store.jobs.waiting();
    await until(async () => (await waiting())['uploads'] === 0, { what: 'no upload to wait' });
    assert.deepEqual(await waiting(), { scenes: 0, uploads: 0, speech: 0 });
  });

  it('half-sent-bodies: the gateway queues most of the bodies, and none is left after healing', async () => {
    const sum = async (name: string): Promise<number> => {
      const texts = await Promise.all(environment().system.gateways.map(async ({ admin }) => (await fetch(`${admin}/metrics`)).text()));
      return texts.reduce((total, text) => total + Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? NaN), 0);
    };
    await environment().during(halfSentBodies, () =>
      until(async () => (await sum('perch_gateway_waiting_bodies')) >= 40, { what: 'bodies to wait' }),
    );
    // A queued body is not read: the gateway notices that its connection closed only when the body is next, or after 30 s.
    await until(async () => (await sum('perch_gateway_waiting_bodies')) + (await sum('perch_gateway_body_bytes')) === 0);
  });
}
