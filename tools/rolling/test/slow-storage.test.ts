import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { SlowStorage, workIn } from '../src/slow-storage.js';

/** Redis that answers late once, and has worked for `workedMs` meanwhile. */
async function late(workedMs: number): Promise<{ storage: SlowStorage; from: number; to: number }> {
  let reads = 0;
  let work = 1000;
  const times = { from: 0, to: 0 };
  const storage = new SlowStorage(async () => {
    reads += 1;
    if (reads === 2) {
      times.from = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 700));
      work += workedMs;
      times.to = performance.now();
    }
    return work;
  });
  await until(() => reads > 3);
  await storage.stop();
  return { storage, ...times };
}

describe('SlowStorage', () => {
  it('counts the time in which Redis neither answered nor worked, and reports storage as slow then', async () => {
    const { storage, from, to } = await late(10);
    assert.ok(storage.total(from, to) > 600, `${storage.total(from, to)} ms`);
    assert.equal(storage.total(0, from - 1000), 0);
    assert.ok(!storage.served.throughout(from + 100, from + 200));
  });

  it('excuses no delay in which Redis worked', async () => {
    const { storage, from, to } = await late(60_000);
    assert.equal(storage.total(from, to), 0);
    assert.ok(storage.served.throughout(from, to));
  });

  it('continues a delay while no answer arrives in time', async () => {
    let reads = 0;
    const from = performance.now();
    const storage = new SlowStorage(async () => {
      reads += 1;
      if (reads === 1 || performance.now() > from + 700) return 0;
      throw new Error('Command timed out');
    });
    await until(() => !storage.served.throughout(from + 300, from + 400));
    await storage.stop();
  });

  it('reads the processor time of the main thread, or of the process from a server that does not tell threads apart', () => {
    const all = 'used_cpu_sys:1.5\r\nused_cpu_user:2.25\r\n';
    assert.equal(workIn(`# CPU\r\n${all}used_cpu_sys_main_thread:0.5\r\nused_cpu_user_main_thread:0.25\r\n`), 750);
    assert.equal(workIn(all), 3750);
  });
});
