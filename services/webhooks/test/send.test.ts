import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResolveAll } from '@perch/runtime';
import { Webhook } from 'standardwebhooks';
import { send, type SendOptions } from '../src/send.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const message = { id: 'msg_1', at: Date.UTC(2026, 0, 1), body: '{"type":"tap"}' };

describe('send', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  const sent = (url: string, more: Partial<SendOptions> = {}, signal = new AbortController().signal) =>
    send({ url, secret }, message, signal, { allowPrivate: true, ...more });

  it('reports the status of the response, and does not follow redirects', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests++;
      response.writeHead(Number(request.url!.slice(1)), { location: '/200' }).end('thanks');
    });
    assert.deepEqual(await sent(`${url}204`), { status: 204, error: null });
    assert.deepEqual(await sent(`${url}500`), { status: 500, error: 'The receiver answered 500.' });
    assert.equal((await sent(`${url}302`)).status, 302);
    assert.equal(requests, 3);
  });

  it('signs with both secrets until the overlap of a changed secret ends, and then with the new one only', async () => {
    const former = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const signatures: string[] = [];
    const accepted: boolean[][] = [];
    const url = await serve((request, response) => {
      signatures.push(String(request.headers['webhook-signature']));
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        accepted.push([secret, former].map((each) => verifies(each, Buffer.concat(chunks).toString(), request.headers as Record<string, string>)));
        response.writeHead(204).end();
      });
    });
    const at = Math.floor(Date.now() / 1000) * 1000;
    for (const until of [at + 1, at])
      await send({ url, secret, former: { secret: former, until } }, { ...message, at }, new AbortController().signal, { allowPrivate: true });
    assert.deepEqual(
      signatures.map((text) => text.split(' ').length),
      [2, 1],
    );
    assert.deepEqual(accepted, [
      [true, true],
      [true, false],
    ]);
  });

  it('fails for a receiver that does not answer, answers too slowly, or cannot be reached', async () => {
    const silent = await serve(() => {});
    assert.match((await sent(silent, { timeoutMs: 100 })).error!, /did not answer within 0.1 s/);
    const slow = await serve((_request, response) => void response.writeHead(200).write('a'));
    assert.match((await sent(slow, { timeoutMs: 100 })).error!, /did not answer within/);
    const gone = await serve(() => {});
    const server = servers.pop()!;
    server.close();
    await once(server, 'close');
    assert.deepEqual(await sent(gone), { status: null, error: 'The connection failed: ECONNREFUSED.' });
  });

  it('reads no more of a response than necessary', async () => {
    const endless = await serve((_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    assert.deepEqual(await sent(endless), { status: 200, error: null });
  });

  it('fails if the receiver switches protocols, or closes the connection before or during its response', async () => {
    const responses = [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na',
      '',
    ];
    for (const answer of responses) {
      const url = await serve(({ socket }) => socket.end(answer));
      const { status, error } = await sent(url);
      assert.equal(status, null);
      assert.match(error!, /^The connection failed/);
    }
  });

  it('fails at once for a receiver that sends informational responses without end', async () => {
    const url = await serve(({ socket }) => {
      const block = 'HTTP/1.1 103 x\r\n\r\n'.repeat(1000);
      const more = (): void => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', more).on('error', () => {});
      more();
    });
    assert.deepEqual(await sent(url, { timeoutMs: 40_000 }), { status: null, error: 'The connection failed.' });
  });

  it('rejects only if its signal is aborted', async () => {
    const silent = await serve(() => {});
    const abort = new AbortController();
    const sending = sent(silent, {}, abort.signal);
    abort.abort();
    await assert.rejects(sending);
    await assert.rejects(sent(silent, {}, abort.signal));
  });

  it('refuses private addresses, by number or by name, unless they are allowed', async () => {
    const url = await serve(() => assert.fail('the request was sent'));
    const { port } = new URL(url);
    const resolve: ResolveAll = (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const [host, expected] of [
      ['127.0.0.1', /127\.0\.0\.1 leads/],
      ['hooks.example', /hooks\.example leads/],
      ['[::ffff:127.0.0.1]', /leads to an address/],
    ] as const) {
      assert.match((await sent(`https://${host}:${port}/`, { allowPrivate: false, resolve })).error!, expected);
    }
    assert.match((await sent(url, { allowPrivate: false })).error!, /not https/);
  });
});

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
