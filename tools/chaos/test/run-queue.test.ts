import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { skipTest, until } from '@perch/testkit';
import { RunQueue, waitedIn } from '../src/machine/run-queue.js';

describe('RunQueue', () => {
  it('reads the second number of schedstat, in nanoseconds', () => {
    assert.equal(waitedIn('2852058 74040000 2\n'), 74.04);
  });

  it('counts what each instance waited over the requested period', async () => {
    const waited = new Map([
      [1, 1000],
      [2, 5000],
    ]);
    const queue = new RunQueue(
      () => [
        { place: 'gateway-0', pid: 1 },
        { place: 'gateway-1', pid: 2 },
      ],
      (pid) => waited.get(pid)!,
    );
    try {
      const from = performance.now();
      await sleep(300);
      waited.set(1, 1100);
      await until(() => queue.waitedMs('gateway-0', from, performance.now()) > 0);
      const to = performance.now();
      assert.equal(queue.waitedMs('gateway-0', from, to), 100);
      assert.equal(queue.waitedMs('gateway-1', from, to), 0);
      assert.equal(queue.waitedMs('gateway-0', to, to + 1), 0);
      assert.equal(queue.waitedMs('gateway-2', from, to), 0);
    } finally {
      queue.stop();
    }
  });

  it('never counts more than the period', () => {
    let waited = 0;
    const queue = new RunQueue(
      () => [{ place: 'gateway-0', pid: 1 }],
      () => waited,
    );
    const from = performance.now();
    waited = 60_000;
    queue.stop();
    assert.equal(queue.waitedMs('gateway-0', from, from + 50), 50);
  });

  it('goes on counting when another process takes the place', async () => {
    let current = { pid: 1, waited: 700 };
    const queue = new RunQueue(
      () => [{ place: 'gateway-0', pid: current.pid }],
      () => current.waited,
    );
    const from = performance.now() - 10_000;
    current = { pid: 2, waited: 20 };
    await sleep(250);
    current = { pid: 2, waited: 60 };
    queue.stop();
    assert.equal(queue.waitedMs('gateway-0', from, performance.now()), 40);
  });

  it('counts the waiting of a real process that shares the processors with others, and nothing for one that sleeps', async function () {
    if (process.platform !== 'linux') skipTest(this, 'reads the waiting of a process from /proc');
    // It sleeps once it has written back what it read: its start may have waited for a processor.
    const sleeper = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
    sleeper.stdin.write('x');
    await once(sleeper.stdout, 'data');
    const spin = () => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
    const spinners = Array.from({ length: 2 * cpus().length }, spin);
    const queue = new RunQueue(() => [
      { place: 'spinner', pid: spinners[0]!.pid! },
      { place: 'sleeper', pid: sleeper.pid! },
    ]);
    try {
      const from = performance.now();
      await until(() => queue.waitedMs('spinner', from, performance.now()) > 200);
      assert.ok(queue.waitedMs('sleeper', from, performance.now()) < 100);
    } finally {
      queue.stop();
      for (const child of [...spinners, sleeper]) child.kill('SIGKILL');
    }
  });
});
