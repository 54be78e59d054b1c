import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { onStarts } from './starts.js';

onStarts('what it refuses', ({ start }) => {
  it('names a busy port on stderr and prints nothing to stdout', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const busy = String((server.address() as AddressInfo).port);
    for (const args of [
      ['--port', busy, '--link-port', '0'],
      ['--port', '0', '--link-port', busy],
    ]) {
      const system = start(['--json', ...args]);
      assert.equal(await system.ended, 1);
      assert.match(system.err, new RegExp(`port ${busy} is busy`));
      assert.equal(system.out, '');
    }
    server.close();
  });

  it('prints its options with --help, and refuses unknown options', async () => {
    const help = start(['--help']);
    assert.equal(await help.ended, 0);
    assert.match(help.out, /--no-robot/);
    const wrong = start(['--wrong']);
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.err, /--wrong.*--help/);
  });
});
