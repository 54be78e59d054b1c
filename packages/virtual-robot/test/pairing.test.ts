import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pair, type UserCode } from '../src/index.js';

type Answer = { status: number; body: object };

/** Runs a service that starts a pairing, and then sends these responses to polls in order. */
async function withService(polls: Answer[], run: (url: string, asked: { path: string; body: unknown }[]) => Promise<void>): Promise<void> {
  const asked: { path: string; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      asked.push({ path: request.url ?? '', body: JSON.parse(text) });
      const begun = {
        status: 200,
        body: {
          device_code: 'dc',
          user_code: 'ABCD-EFGH',
          verification_uri: 'http://x/pair',
          verification_uri_complete: 'http://x/pair?code=ABCD-EFGH',
          expires_in: 600,
          interval: 3,
        },
      };
      const { status, body } = request.url === '/robot/v1/pair' ? begun : (polls.shift() ?? { status: 400, body: { error: 'expired_token' } });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const pending = { status: 400, body: { error: 'authorization_pending' } };

describe('pairing a virtual robot', () => {
  it('shows the code and polls until a person has entered it', () =>
    withService(
      [pending, { status: 400, body: { error: 'slow_down' } }, { status: 200, body: { robot_id: 'r-1', token: 'rt_1' } }],
      async (url, asked) => {
        const shown: UserCode[] = [];
        assert.deepEqual(await pair(url, { serial: 's1', paceFactor: 0.001, onCode: (code) => shown.push(code) }), { robotId: 'r-1', token: 'rt_1' });
        assert.deepEqual(shown, [
          { userCode: 'ABCD-EFGH', verificationUri: 'http://x/pair', verificationUriComplete: 'http://x/pair?code=ABCD-EFGH', expiresInS: 600 },
        ]);
        assert.deepEqual(asked[0], { path: '/robot/v1/pair', body: { serial: 's1', model: 'stackchan-k151', firmware: '1.0.0' } });
        assert.deepEqual(
          asked.slice(1),
          Array.from({ length: 3 }, () => ({ path: '/robot/v1/pair/token', body: { device_code: 'dc' } })),
        );
      },
    ));

  it('rejects with expired_token when the code has expired', () =>
    withService([pending], async (url) => {
      await assert.rejects(pair(url, { serial: 's1', paceFactor: 0.001 }), { name: 'Error', code: 'expired_token' });
    }));

  it('rejects when its signal is aborted', () =>
    withService([], async (url) => {
      const called = new AbortController();
      await assert.rejects(pair(url, { serial: 's1', signal: called.signal, onCode: () => called.abort(new Error('off')) }), /off/);
    }));
});
