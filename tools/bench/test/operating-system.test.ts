import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { skipTest, until } from '@perch/testkit';
import { cpuMs, cpuMsOf } from '../src/operating-system.js';

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
});
