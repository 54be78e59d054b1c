import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { redisUrl, skipTest, until } from '@perch/testkit';
import { startCluster } from '@perch/launcher';

function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child!] : []));
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('Cluster.stop', () => {
  before(function () {
    if (process.platform === 'win32') skipTest(this, 'processes are listed with ps and paused with SIGSTOP');
  });

  it('stops every process, including stopped render processes of a renderer that had to be killed', async () => {
    const cluster = await startCluster({ redisUrl: await redisUrl(), gateways: 0, links: 0, env: process.env });
    const [renderer] = cluster.renderers;
    const renderProcesses = childrenOf(renderer!.pid);
    try {
      assert.ok(renderProcesses.length >= 2, `${renderProcesses.length} render processes`);
      renderer!.signal('SIGSTOP');
      for (const pid of renderProcesses) process.kill(pid, 'SIGSTOP');
      await cluster.stop();
      await until(() => !renderProcesses.some(runs), { what: 'the render processes to be gone' });
    } finally {
      // A remaining renderer would take the jobs of all later tests from the shared Redis.
      for (const pid of renderProcesses.filter(runs)) process.kill(pid, 'SIGKILL');
      await cluster.stop();
    }
  });
});
