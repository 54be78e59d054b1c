import assert from 'node:assert/strict';
import { anyPorts, ask, onStarts } from './starts.js';

onStarts('with --lan', ({ start }) => {
  it('serves page, interface and link at the address, also for its own robot', async () => {
    const system = start(['--json', ...anyPorts, '--lan-address', '127.0.0.1']);
    const ready = await system.ready();
    assert.match(ready.base_url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(ready.link_url, /^ws:\/\/127\.0\.0\.1:\d+\//);
    assert.equal((await ask(ready, { question: 'Tea?', answers: ['Yes', 'No'] }))['outcome'], 'answered');
    const signUp = (await (await fetch(`${ready.base_url}/console/session`)).text()).slice(0, 1000);
    assert.match(signUp, /invitation/);
    assert.equal(await system.end(), 0, system.err);
  });
});
