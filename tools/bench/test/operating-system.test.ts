import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { skipTest, until } from '@perch/testkit';
import { Worker } from 'node:worker_threads';
import { cpuMs, cpuMsOf, processorTimes } from '../src/operating-system.js';

describe('the processor time of a process', () => {
  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'the bench reads /proc');
  });

  it('holds that of its children, while they run and after they ended', async () => {
    const others = (): number => cpuMsOf([process.pid]) - cpuMs(process.pid);
    const before = others();
    const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    try {
      await until(() => cpuMs(child.pid!) >= 300, { what: 'a busy child' });
      assert.ok(others() - before >= 290, `${others() - before} ms`);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    assert.ok(others() - before >= 290, `${others() - before} ms after its end`);
  });

  it('holds that of its threads, while they run and after they ended', async () => {
    const before = cpuMs(process.pid);
    const thread = new Worker('for (;;);', { eval: true });
    try {
      await until(() => cpuMs(process.pid) - before >= 300, { what: 'a busy thread' });
    } finally {
      await thread.terminate();
    }
    assert.ok(cpuMs(process.pid) - before >= 280, `${cpuMs(process.pid) - before} ms after its end`);
  });

  it('is part of what all processors did', async () => {
    const [before, own] = [processorTimes(), cpuMs(process.pid)];
    await until(() => cpuMs(process.pid) - own >= 200, { what: 'some work', everyMs: 0 });
    const after = processorTimes();
    assert.ok(after.all - before.all >= after.busy - before.busy + after.stolen - before.stolen);
    assert.ok(after.busy > before.busy);
  });
});
