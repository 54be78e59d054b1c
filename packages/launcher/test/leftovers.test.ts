import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { redisUrl, until } from '@perch/testkit';
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

describe('what a stop leaves behind', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('stops every process, including stopped render processes of a renderer that had to be killed', async () => {
    const cluster = await startCluster({ redisUrl: await redisUrl(), gateways: 0, links: 0, env: process.env });
    const [renderer] = cluster.renderers;
    const artists = childrenOf(renderer!.pid);
    try {
      assert.ok(artists.length >= 2, `${artists.length} render processes`);
      renderer!.signal('SIGSTOP');
      for (const pid of artists) process.kill(pid, 'SIGSTOP');
      await cluster.stop();
      await until(() => !artists.some(runs), { timeoutMs: 2000, what: 'the render processes to be gone' });
    } finally {
      // A renderer that is left behind would take the jobs of all later tests from the shared Redis.
      for (const pid of artists.filter(runs)) process.kill(pid, 'SIGKILL');
      await cluster.stop();
    }
  }).timeout(20_000);
});
