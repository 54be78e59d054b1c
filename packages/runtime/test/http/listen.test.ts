import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { closeNow, listen } from '../../src/index.js';

describe('listen', () => {
  it('returns the address that the server listens on', async () => {
    const server = createServer((_request, response) => response.end('yes'));
    const address = await listen(server, '127.0.0.1', 0);
    try {
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await (await fetch(address)).text(), 'yes');
    } finally {
      await closeNow(server);
    }
    await assert.rejects(fetch(address));
  });

  it('rejects if the address is taken', async () => {
    const [first, second] = [createServer(), createServer()];
    const { port } = new URL(await listen(first, '127.0.0.1', 0));
    try {
      await assert.rejects(listen(second, '127.0.0.1', Number(port)), { code: 'EADDRINUSE' });
    } finally {
      await closeNow(first);
    }
  });

  it('closeNow cuts off a request that is still being answered', async () => {
    const server = createServer(() => {});
    const address = await listen(server, '127.0.0.1', 0);
    const received = new Promise((resolve) => server.once('request', resolve));
    const answer = assert.rejects(fetch(address));
    await received;
    await closeNow(server);
    await answer;
  });
});
