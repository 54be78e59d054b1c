import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onProcesses, program, type Child } from './lifecycle-process.js';

onProcesses('how a process with a lifecycle ends', ({ start, ready }) => {
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

  it('stops the other parts and exits with 1 when a part fails to stop', async () => {
    const child = await ready('stop-fails');
    child.process.kill('SIGTERM');
    assert.equal((await child.ended).code, 1);
    assert.ok(child.messages.includes('stop first'));
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
