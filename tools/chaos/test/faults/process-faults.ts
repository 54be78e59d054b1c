import assert from 'node:assert/strict';
import { starveCpu } from '../../src/faults/processes/starve-cpu.js';
import type { Instance } from '../../src/system/instance.js';
import { faultOf, type FaultTestEnvironment } from './fault-environment.js';

export function processFaults(environment: () => FaultTestEnvironment): void {
  it('drain-gateway: the gateway ends by itself, and a successor replaces it', async () => {
    const pids = environment().system.gateways.map(({ pid }) => pid);
    await environment().during(faultOf('drain-gateway'), () => Promise.resolve(void environment().unhealthy('running')));
    assert.equal(environment().system.gateways.filter(({ pid }, i) => pid !== pids[i]).length, 1);
  });

  it('freeze-robot-link: the process is the same afterwards, and did not respond meanwhile', async () => {
    const pids = environment().system.links.map(({ pid }) => pid);
    await environment().during(faultOf('freeze-robot-link'), () =>
      assert.rejects(fetch(`${environment().unhealthy('running').admin}/healthz`, { signal: AbortSignal.timeout(300) })),
    );
    assert.deepEqual(
      environment().system.links.map(({ pid }) => pid),
      pids,
    );
  });

  it('clock-behind: an instance believes it started minutes ago', async () => {
    const startedAt = async ({ admin }: Instance): Promise<number> =>
      Number(/^process_start_time_seconds\S* (\S+)/m.exec(await (await fetch(`${admin}/metrics`)).text())![1]) * 1000;
    const minutesAhead = async (): Promise<number[]> => {
      const starts = await Promise.all(environment().system.instances.map(startedAt));
      return starts.map((start) => (start - Date.now()) / 60_000).filter((minutes) => Math.abs(minutes) > 1.5);
    };
    await environment().during(faultOf('clock-behind'), async () => {
      const wrong = await minutesAhead();
      assert.equal(wrong.length, 1);
      assert.ok(wrong[0]! < -1.5, `${wrong[0]}`);
    });
  });

  it('starve-cpu: the machine is busy during the fault', async () => {
    await environment().during(starveCpu, async () => {
      const began = process.hrtime.bigint();
      const { user, system: kernel } = process.cpuUsage();
      let sum = 0;
      for (let i = 0; i < 3e8; i += 1) sum += i;
      const used = process.cpuUsage({ user, system: kernel });
      const wallMs = Number(process.hrtime.bigint() - began) / 1e6;
      assert.ok(sum > 0 && wallMs > ((used.user + used.system) / 1000) * 1.2, `${wallMs} ms`);
    });
  });
}
