import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Health, Lifecycle, createLogger, type Part } from '../../src/index.js';
import { onProcesses } from './lifecycle-process.js';

onProcesses('a process with a lifecycle', ({ start, ready }) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`starts the parts in order, stops them in reverse order after ${signal} and exits with 0`, async () => {
      const child = await ready();
      child.process.kill(signal);
      assert.deepEqual(await child.ended, { code: 0, signal: null });
      assert.deepEqual(child.messages, [
        'start first',
        'start second',
        'start third',
        'ready',
        'stopping',
        'stop third',
        'stop second',
        'stop first',
        'stopped',
      ]);
    });
  }

  it('waits for the drain delay after SIGTERM before it stops the parts', async () => {
    const child = await ready('short-delay');
    const before = performance.now();
    child.process.kill('SIGTERM');
    await child.logged('stopping');
    await child.logged('stop third');
    // The child's timer of 300 ms may have started before this process read the log line.
    assert.ok(performance.now() - before >= 290);
    assert.equal((await child.ended).code, 0);
  });

  it('sends the ready message to the parent that forked it', async () => {
    const child = start();
    const [message] = await once(child.process, 'message');
    assert.deepEqual(message, { ready: true, service: 'gateway', instance: 'gw-test00', address: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:2' });
  });

  it('stops the parts and exits with 0 when its parent closes the channel', async () => {
    const child = await ready();
    child.process.disconnect();
    assert.equal((await child.ended).code, 0);
    assert.deepEqual(child.messages.slice(-4, -1), ['stop third', 'stop second', 'stop first']);
  });

  it('aborts a part that hangs at the deadline, logs its name and exits with 1', async () => {
    const child = await ready('hangs');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 1);
    assert.ok(child.messages.includes('abort second'));
    assert.ok(!child.messages.includes('stop first'));
    assert.equal(child.lines.find((line) => line['level'] === 'error')?.['part'], 'second');
  });

  it('exits with 1 when a part fails to start: stops the parts before it and starts none after it', async () => {
    const child = start('start-fails');
    assert.equal((await child.ended).code, 1);
    assert.deepEqual(child.messages, ['start first', 'start second', 'the start failed', 'stopping', 'stop first', 'stopped']);
  });
});

describe('a lifecycle without a process', () => {
  const log = createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test00' });

  it('returns the same promise for every stop and keeps the phase of health up to date', async () => {
    const health = new Health();
    const lifecycle = new Lifecycle({ log, stopMs: 1_000, health });
    let stops = 0;
    lifecycle.add({ name: 'only', start: () => assert.equal(health.phase, 'starting'), stop: () => void (stops += 1) });
    await lifecycle.start();
    assert.equal(health.phase, 'running');
    const stop = lifecycle.stop();
    assert.equal(health.phase, 'draining');
    assert.ok(lifecycle.stopping.aborted);
    assert.equal(lifecycle.stop(), stop);
    assert.equal(await stop, true);
    assert.equal(stops, 1);
  });

  it('ends readiness and announces the stop at the start of the drain delay, and stops the parts after it', async () => {
    const health = new Health();
    const lifecycle = new Lifecycle({ log, stopMs: 1_000, drainDelayMs: 100, health });
    const calls: string[] = [];
    lifecycle.add({ name: 'only', stopsSoon: () => void calls.push('stops soon'), stop: () => void calls.push('stop') });
    await lifecycle.start();
    const stopped = lifecycle.stopAfterDelay();
    assert.deepEqual([(await health.readiness()).ready, health.phase, calls], [false, 'draining', ['stops soon']]);
    assert.equal(lifecycle.stopping.aborted, false);
    assert.equal(await stopped, true);
    assert.deepEqual(calls, ['stops soon', 'stop']);
  });

  it('announces the stop to the parts also without a drain delay', async () => {
    const lifecycle = new Lifecycle({ log, stopMs: 1_000 });
    const calls: string[] = [];
    lifecycle.add({ name: 'only', stopsSoon: () => void calls.push('stops soon'), stop: () => void calls.push('stop') });
    await lifecycle.start();
    await lifecycle.stopAfterDelay();
    assert.deepEqual(calls, ['stops soon', 'stop']);
  });

  it('throws when a part is added after the start', async () => {
    const lifecycle = new Lifecycle({ log, stopMs: 1_000 });
    await lifecycle.start();
    const late: Part = { name: 'late' };
    assert.throws(() => lifecycle.add(late), /late/);
  });

  it('stops cleanly when it was never started', async () => {
    assert.equal(await new Lifecycle({ log, stopMs: 1_000 }).stop(), true);
  });
});
