import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { anyPorts, ask, descendants, isAlive, onStarts, robotOf } from './starts.js';

onStarts('its end', ({ start }) => {
  it('stops promptly on SIGTERM while a question is open and leaves no process running', async () => {
    const system = start(['--json', ...anyPorts, '--person', 'none']);
    const ready = await system.ready();
    const processes = descendants(system.process.pid!);
    assert.ok(processes.length >= 4, 'three services and a Redis');
    const open = ask(ready, { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 }).catch(() => null);
    await until(async () => JSON.stringify(await robotOf(ready)).includes('"question":"'), {
      what: 'the question to show',
      everyMs: 200,
    });

    const began = performance.now();
    assert.equal(await system.end(), 0, system.err);
    // The question would be open for 60 s.
    assert.ok(performance.now() - began < 30_000);
    await until(() => !processes.some(isAlive), { what: 'all processes to end' });
    await open;
  });

  it('leaves no process running after npm start was killed with SIGKILL', async () => {
    const system = start(['--json', ...anyPorts]);
    await system.ready();
    const processes = descendants(system.process.pid!);
    assert.ok(processes.length >= 4, 'three services and a Redis');
    system.process.kill('SIGKILL');
    await until(() => !processes.some(isAlive), { what: 'all processes to end' });
  });
});
