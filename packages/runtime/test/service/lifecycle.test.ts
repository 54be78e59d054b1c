import assert from 'node:assert/strict';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Health, Lifecycle, createLogger, type Part } from '../../src/index.js';

const program = fileURLToPath(new URL('../programs/lifecycle-program.ts', import.meta.url));

class Child {
  readonly process: ChildProcess;
  readonly lines: Record<string, any>[] = [];
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #text = '';
  #wake: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (this.#text + chunk).split('\n');
      this.#text = parts.pop() ?? '';
      this.lines.push(...parts.map((line) => JSON.parse(line)));
      this.#wake();
    });
    // Not 'close': Node does not emit it after a disconnect() with an unread message.
    this.ended = Promise.all([once(child, 'exit'), once(child.stdout!, 'end')]).then(([[code, signal]]) => {
      this.#wake();
      return { code, signal };
    });
  }

  get messages(): string[] {
    return this.lines.map((line) => line['msg']);
  }

  async logged(message: string): Promise<void> {
    while (!this.messages.includes(message)) {
      assert.equal(this.process.exitCode, null, `ended without "${message}": ${this.messages.join(', ')}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

describe('a process with a lifecycle', () => {
  const children: Child[] = [];

  function start(behaviour = ''): Child {
    const child = new Child(fork(program, [behaviour], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }));
    children.push(child);
    return child;
  }
  async function ready(behaviour = ''): Promise<Child> {
    const child = start(behaviour);
    await child.logged('ready');
    return child;
  }
  afterEach(() => {
    for (const child of children.splice(0)) child.process.kill('SIGKILL');
  });

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

  for (const second of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends the drain delay on ${second} and stops the parts at once`, async () => {
      const child = await ready('long-delay');
      child.process.kill('SIGTERM');
      await child.logged('stopping');
      child.process.kill(second);
      assert.equal((await child.ended).code, 0);
      assert.deepEqual(child.messages.slice(-6), ['stopping', 'stopping', 'stop third', 'stop second', 'stop first', 'stopped']);
    });
  }

  it('stops without the drain delay on SIGINT, a disconnected parent or an uncaught exception', async () => {
    for (const end of [
      (child: Child) => child.process.kill('SIGINT'),
      (child: Child) => child.process.disconnect(),
      (child: Child) => child.process.send('throw'),
    ]) {
      const child = await ready('long-delay');
      end(child);
      await child.ended;
      assert.ok(child.messages.includes('stop first'));
    }
  });

  it('stops the parts only once when several signals arrive', async () => {
    const child = await ready();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) child.process.kill(signal);
    assert.equal((await child.ended).code, 0);
    assert.equal(child.messages.filter((message) => message === 'stop first').length, 1);
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

  it('stops when its parent was killed, although its stdout has no reader any more', async () => {
    // The parent is killed once the child is ready. The end of the child closes the pipe that it inherited as fd 3.
    const source = `
      const { fork } = require('node:child_process');
      const child = fork(${JSON.stringify(program)}, [], { execArgv: ${JSON.stringify(process.execArgv)}, stdio: ['ignore', 'pipe', 'ignore', 'ipc', 3] });
      child.on('message', () => process.stdout.write('ready'));
    `;
    const parent = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const grandchildEnded = once(parent.stdio[3]!, 'close');
    parent.stdio[3]!.on('data', () => undefined);
    await once(parent.stdout!, 'data');
    parent.kill('SIGKILL');
    await grandchildEnded;
  });

  it('aborts a part that hangs at the deadline, logs its name and exits with 1', async () => {
    const child = await ready('hangs');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 1);
    assert.ok(child.messages.includes('abort second'));
    assert.ok(!child.messages.includes('stop first'));
    assert.equal(child.lines.find((line) => line['level'] === 'error')?.['part'], 'second');
  });

  it('stops the other parts and exits with 1 when a part fails to stop', async () => {
    const child = await ready('stop-fails');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 1);
    assert.ok(child.messages.includes('stop first'));
  });

  it('exits with 1 when a part fails to start: stops the parts before it and starts none after it', async () => {
    const child = start('start-fails');
    assert.equal((await child.ended).code, 1);
    assert.deepEqual(child.messages, ['start first', 'start second', 'the start failed', 'stopping', 'stop first', 'stopped']);
  });

  it('logs the message of a refused start without a stack and exits with 1', async () => {
    const child = start('start-refused');
    assert.equal((await child.ended).code, 1);
    const fatal = child.lines.find((line) => line['level'] === 'fatal');
    assert.equal(fatal?.['msg'], 'The data is newer. Start release 9.');
    assert.equal('err' in fatal, false);
  });

  it('exits with 0 and does not announce that it is ready when it is stopped during the start', async () => {
    const child = start('starts-slowly');
    await child.logged('start second');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 0);
    assert.deepEqual(child.messages.slice(1), ['start second', 'stopping', 'stop second', 'stop first', 'stopped']);
  });

  for (const [message, logged] of [
    ['throw', 'uncaught exception'],
    ['reject', 'unhandled rejection'],
  ] as const) {
    it(`logs an ${logged} as fatal, stops the parts and exits with 1`, async () => {
      const child = await ready();
      child.process.send(message);
      assert.equal((await child.ended).code, 1);
      assert.equal(child.lines.find((line) => line['level'] === 'fatal')?.['msg'], logged);
      assert.ok(child.messages.includes('stop first'));
    });
  }

  it('exits with 1 when an exception is thrown during the stop', async () => {
    const child = await ready('throws');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 1);
  });

  it('exits at once with 130 on a second SIGINT', async () => {
    const child = await ready('stops-slowly');
    child.process.kill('SIGINT');
    await child.logged('stop second');
    // Sent repeatedly: a second SIGINT within 300 ms counts as npm's echo of the first.
    const presses = setInterval(() => child.process.kill('SIGINT'), 50);
    const end = await child.ended;
    clearInterval(presses);
    assert.equal(end.code, 130);
    assert.ok(!child.messages.includes('stop first'));
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
