import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientDocuments } from '../../src/oauth/client-directory.js';
import { SessionClient } from '../console/session-client.js';
import { useGateway, type Answer } from '../gateway-under-test.js';
import { callback, OAuthClient } from './oauth-client.js';

describe('clients that are described by a document', () => {
  let server: Server;
  let base: string;
  let answer: RequestListener;
  let fetched = 0;
  let page: SessionClient;
  let client: OAuthClient;

  before(async () => {
    server = createServer((request, response) => {
      fetched += 1;
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  const system = useGateway({ allowPrivateWebhooks: true });
  after(() => server?.close());
  beforeEach(async () => {
    page = await SessionClient.signIn(system, (await system.owner()).account);
    client = new OAuthClient(system);
    // Kept documents of another test have other addresses.
    client.id = `${base}/client-${fetched}.json`;
    answer = document();
  });

  const document =
    (more: object = {}): RequestListener =>
    (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ client_id: client.id, client_name: 'Hosted', redirect_uris: [callback], ...more }));
    };
  const problem = ({ status, body }: Answer): string => {
    assert.deepEqual([status, body.code], [400, 'bad_argument']);
    return body.error;
  };

  it('such a client is named with the host of its document, allowed, and refreshes its token; the document is fetched once', async () => {
    const before = fetched;
    const { body } = await client.find(page);
    assert.deepEqual(body.client, { name: 'Hosted', host: new URL(base).host, place: { kind: 'computer', name: 'this computer' } });
    const issued = (await client.exchange(await client.codeFrom(page))).body;
    assert.equal((await client.tools(issued.access_token)).status, 200);
    assert.equal((await client.refresh(issued.refresh_token)).status, 200);
    assert.equal((await page.ask('GET', 'keys')).body.keys.find(({ name }: { name: string }) => name === 'Hosted').client, new URL(base).host);
    assert.equal(fetched, before + 1);
  });

  it('the address to return to is one of the document', async () => {
    assert.match(problem(await client.find(page, { redirect_uri: 'https://evil.example/' })), /not one of the client/);
  });

  for (const [what, changed, expected] of [
    ['names another client', { client_id: 'https://other.example/client.json' }, /does not name its own address/],
    ['wants to authenticate itself', { token_endpoint_auth_method: 'private_key_jwt' }, /token_endpoint_auth_method/],
    ['has no redirect URI', { redirect_uris: [] }, /redirect_uris/],
    ['has a redirect URI that is not safe', { redirect_uris: ['javascript:alert(1)'] }, /redirect URI/],
    ['is too long', { padding: 'x'.repeat(11_000) }, /more than 10240 bytes/],
  ] as const)
    it(`a document that ${what} is refused`, async () => {
      answer = document(changed);
      assert.match(problem(await client.find(page)), expected);
    });

  it('redirects, errors and texts that are not JSON are refused', async () => {
    for (const [listener, expected] of [
      [(_: unknown, response: Parameters<RequestListener>[1]) => response.writeHead(302, { location: `${base}/other` }).end(), /answered 302/],
      [(_: unknown, response: Parameters<RequestListener>[1]) => response.writeHead(500).end(), /answered 500/],
      [(_: unknown, response: Parameters<RequestListener>[1]) => response.end('<html>'), /not JSON/],
      [(request: Parameters<RequestListener>[0]) => request.socket.destroy(), /connection/],
    ] as const) {
      answer = listener as RequestListener;
      assert.match(problem(await client.find(page)), expected);
    }
  });

  it('an account looks up 30 clients in ten minutes', async () => {
    // A session has its own rate limit, which one alone would reach on a fast machine.
    const other = await SessionClient.signIn(system, page.account);
    for (let i = 0; i < 30; i++) {
      client.id = `${base}/many-${i}.json`;
      assert.equal((await client.find(i % 2 === 0 ? page : other)).status, 200);
    }
    client.id = `${base}/many.json`;
    const { status, body } = await client.find(page);
    assert.deepEqual([status, body.code], [429, 'too_many_attempts']);
  });

  it('private networks are not reached: neither as an address, nor by a name, nor over http', async () => {
    const before = fetched;
    const guarded = new ClientDocuments(false, (_host, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]));
    for (const id of [
      `${base}/client.json`,
      'https://127.0.0.1/client.json',
      'https://10.1.2.3/client.json',
      'https://[::1]/client.json',
      'https://localhost/client.json',
      'https://metadata.internal/client.json',
      'https://rebound.example/client.json',
      'https://client.example:22/client.json',
    ])
      await assert.rejects(
        guarded.find(id, async () => {}),
        { name: 'OAuthError', code: 'invalid_client' },
        id,
      );
    assert.equal(fetched, before);
  });

  it('an id that is not the one spelling of an address with a path is refused without a request', async () => {
    const guarded = new ClientDocuments(true);
    for (const id of [
      'https://client.example',
      'https://client.example/',
      'https://client.example/a/../b',
      'https://CLIENT.example/a',
      'https://client.example/a#b',
      'https://u@client.example/a',
      `https://client.example/${'x'.repeat(500)}`,
    ])
      await assert.rejects(
        guarded.find(id, () => assert.fail('it was looked up')),
        { name: 'OAuthError' },
        id,
      );
  });
});
