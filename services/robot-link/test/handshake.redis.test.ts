import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { useLink, useLinks } from './links-under-test.js';
import { closeCode, dial, hello, opened, protocol, type Refused } from './dial.js';

describe('handshake', () => {
  const system = useLinks();
  const link = useLink(system, { timing: { helloMs: 200 } });

  it('accepts a token in the header and, for browsers, in the subprotocol', async () => {
    for (const tokenIn of ['header', 'subprotocol'] as const) {
      const { robot } = await system.robot(link, { tokenIn });
      await robot.start();
      assert.deepEqual(robot.violations, []);
    }
  });

  for (const [what, refusal, options] of [
    ['no token', 401, {}],
    ['a token that opens nothing', 401, { token: 'rt_wrong' }],
    ['no subprotocol of ours', 400, { protocols: ['other'], token: 'rt_wrong' }],
  ] as const) {
    it(`refuses ${what} with ${refusal} as JSON before the upgrade`, async () => {
      const refused = await dial(link.app.address, options as { token?: string; protocols?: string[] });
      assert.ok(!(refused instanceof WebSocket));
      assert.equal(refused.status, refusal);
      assert.equal(refused.body.ok, false);
      assert.ok(refused.body.request_id);
      assert.equal(refused.headers['perch-link'], refusal === 401 ? 'pair' : undefined, 'which means: pair');
    });
  }

  it('refuses a token in the URL, even a valid one', async () => {
    const { token } = await system.robot(link);
    const refused = await dial(`${link.app.address}?token=${token}`, { token });
    assert.ok(!(refused instanceof WebSocket));
    assert.equal(refused.status, 400);
    assert.ok(!refused.body.error.includes(token));
  });

  it('answers JSON on every other path and method', async () => {
    const base = link.app.address.replace('ws:', 'http:').replace('/robot/v1/link', '');
    for (const [method, path, status] of [
      ['GET', '/', 404],
      ['GET', '/robot/v1/link', 426],
      ['GET', '/robot/v1/pair', 405],
      ['POST', '/robot/v1/other', 404],
    ] as const) {
      const response = await fetch(base + path, { method });
      const body = (await response.json()) as Refused['body'];
      assert.equal(response.status, status, path);
      assert.equal(body.ok, false);
    }
    const refused = await dial(`${base.replace('http:', 'ws:')}/robot/v1/other`, { token: 'rt_x' });
    assert.ok(!(refused instanceof WebSocket));
    assert.equal(refused.status, 404);
  });

  it('keeps a connection without requests for 5 s, or for the time that is set, as load balancers need it', async () => {
    const set = await system.instance({ keepAliveMs: 620_000 });
    for (const [{ app }, s] of [
      [link, 5],
      [set, 620],
    ] as const) {
      const response = await fetch(app.address.replace('ws:', 'http:'));
      assert.equal(response.headers.get('keep-alive'), `timeout=${s}`);
      await response.arrayBuffer();
    }
    await set.stop();
  });

  it('answers 400 to two Host headers, on requests and on upgrades, and sends nosniff with its JSON', async () => {
    const { port } = new URL(link.app.address);
    const upgrade = 'upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n';
    for (const head of ['POST /robot/v1/pair HTTP/1.1\r\n', `GET /robot/v1/link HTTP/1.1\r\n${upgrade}sec-websocket-protocol: ${protocol}\r\n`]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`${head}host: a\r\nHost: b\r\n\r\n`);
      const answer = await textOf(socket);
      assert.match(answer, /^HTTP\/1\.1 400 /, head);
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/, head);
      assert.equal((JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Refused['body']).code, 'bad_argument');
    }
  });

  it('answers JSON to a request that is not a WebSocket handshake or has a target that is not a path', async () => {
    const { token } = await system.robot(link);
    const { host, pathname, port } = new URL(link.app.address);
    const refused = async (target: string, change: (lines: string[]) => string[]): Promise<{ status: string; body: Refused['body'] }> => {
      const lines = [
        'upgrade: websocket',
        'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version: 13',
        `sec-websocket-protocol: ${protocol}`,
      ];
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        [`GET ${target} HTTP/1.1`, `host: ${host}`, 'connection: upgrade', `authorization: Bearer ${token}`, ...change(lines), '', ''].join('\r\n'),
      );
      const answer = await textOf(socket);
      return { status: answer.slice(9, 12), body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Refused['body'] };
    };
    const changes: ((lines: string[]) => string[])[] = [
      (lines) => lines.filter((line) => !line.startsWith('sec-websocket-key')),
      (lines) => lines.map((line) => line.replace('version: 13', 'version: 12')),
      (lines) => lines.map((line) => line.replace('upgrade: websocket', 'upgrade: h2c')),
      (lines) => [...lines, `sec-websocket-protocol: ${protocol}`],
    ];
    for (const change of changes) {
      const { status, body } = await refused(pathname, change);
      assert.deepEqual([status, body.ok, body.code], ['400', false, 'bad_argument']);
    }
    for (const target of ['//', '//x:99999/', 'http://[/']) {
      const { status, body } = await refused(target, (lines) => lines);
      assert.deepEqual([status, body.code], ['404', 'not_found'], target);
    }
  });

  it('never compresses frames', async () => {
    const { token } = await system.robot(link);
    const socket = await opened(link.app.address, token);
    assert.equal(socket.extensions, '');
    socket.terminate();
  });

  it('closes with 4400 without a hello, or if another message or an unreadable one comes first', async () => {
    for (const first of [null, '{"t":"ping"}', '{"t":', '{"t":"hello","v":[1]}', Buffer.from([1, 2, 3])]) {
      const { token } = await system.robot(link);
      const socket = await opened(link.app.address, token);
      if (first !== null) socket.send(first);
      assert.equal(await closeCode(socket), 4400, String(first));
    }
  });

  it('closes with 4010 without a common version, whatever else the hello contains', async () => {
    for (const first of [
      { ...hello, v: [2, 3] },
      { t: 'hello', v: [7], entirely: 'new' },
    ]) {
      const { token } = await system.robot(link);
      const socket = await opened(link.app.address, token);
      socket.send(JSON.stringify(first));
      assert.equal(await closeCode(socket), 4010);
    }
  });

  it('answers the 61st wrong token of a network with 429 and still accepts a valid token from it', async () => {
    const flooded = await system.instance();
    const { token } = await system.robot(flooded);
    const statuses: number[] = [];
    for (let i = 0; i < 61; i += 1) {
      const refused = await dial(flooded.app.address, { token: `rt_wrong${i}` });
      assert.ok(!(refused instanceof WebSocket));
      statuses.push(refused.status);
    }
    assert.deepEqual([statuses.filter((status) => status === 401).length, statuses.at(-1)], [60, 429]);
    const accepted = await opened(flooded.app.address, token);
    accepted.close();
  });

  it('counts wrong tokens by the client network behind a trusted proxy: an IPv6 /64 is one, other networks are not affected', async () => {
    const proxied = await system.instance({ trustProxy: 1 });
    const status = async (address: string): Promise<number> => {
      const refused = await dial(proxied.app.address, { token: 'rt_wrong', headers: { 'x-forwarded-for': `198.51.100.1, ${address}` } });
      return refused instanceof WebSocket ? 101 : refused.status;
    };
    for (let i = 0; i < 60; i += 1) assert.equal(await status(`2001:db8::${i.toString(16)}`), 401);
    assert.equal(await status('2001:db8::ffff:1'), 429);
    assert.equal(await status('2001:db8:0:1::1'), 401);
  });
});
