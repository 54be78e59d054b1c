import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { CheckedApi } from '../fixture/interface/published.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const bodyMax = 2_097_152;

onSingleInstances('hostile requests', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const goesOn = async () => assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    return { id, robot, api, goesOn };
  }

  it('unknown paths and methods get 404 or 405 as JSON, whatever they contain', async () => {
    const { id, api, goesOn } = await setUp();
    const paths = [
      '/v1',
      '/v1/',
      '/v2/robots',
      '/v1/robot',
      '/v1/robots/',
      '/V1/robots',
      '/v1/Robots',
      '/v1/actions/show',
      '/v1/openapi.yaml',
      '/%',
      '/v1/%zz',
      '/v1/%ff',
      '/v1/%00',
      '/v1/..%2f..%2fetc%2fpasswd',
      '/v1/__proto__',
      '/v1/constructor',
      '//v1/robots',
      '/v1//robots',
      '/v1/robots//show',
      '/favicon.png',
      `/v1/${'a'.repeat(8000)}`,
      '/v1/robots?robot=x',
    ];
    for (const path of paths) {
      const { status, body } = await api.get(path);
      if (path === '/v1/robots/' || path === '/v1/robots?robot=x') assert.equal(status, 200, path);
      else assert.equal(status, 404, `${path} ${JSON.stringify(body)}`);
    }
    const ofRobot = ['nothing', 'Show', 'show/x', '%zz', '%00', '..%2fx', '__proto__', 'constructor', 'toString', 'show%20', 'events/1'];
    for (const path of ofRobot) {
      const { status, body } = await api.get(`/v1/robots/${id}/${path}`);
      assert.deepEqual([status, body.code], [404, 'not_found'], path);
    }
    for (const robot of [
      '%',
      '%zz',
      '%00',
      '__proto__',
      'r-%2a',
      `${id}%00`,
      id.toUpperCase(),
      `${id}x`,
      `%20${id}`,
      'r-' + 'é'.repeat(10),
      '*',
      '..%2f',
      'x'.repeat(8000),
    ]) {
      const { status, body } = await api.act(robot, 'state');
      assert.deepEqual([status, body.code], [404, 'unknown_robot'], robot);
    }
    assert.equal((await api.act(`%${id.charCodeAt(0).toString(16)}${id.slice(1)}`, 'state')).status, 200, 'an encoded letter is that letter');
    await goesOn();
  });

  it('a method that a path does not support gets 405 with the supported ones', async () => {
    const { id, api, goesOn } = await setUp();
    for (const [method, path, allow] of [
      ['GET', `/v1/robots/${id}/show`, 'POST'],
      ['PUT', `/v1/robots/${id}/show`, 'POST'],
      ['DELETE', `/v1/robots/${id}`, 'GET, HEAD'],
      ['POST', `/v1/robots/${id}`, 'GET, HEAD'],
      ['PATCH', `/v1/robots/${id}/events`, 'POST, GET, HEAD'],
      ['POST', '/v1/robots', 'GET, HEAD'],
      ['POST', '/v1/actions', 'GET, HEAD'],
      ['OPTIONS', `/v1/robots/${id}/ask`, 'POST'],
      ['PROPFIND', `/v1/robots/${id}/ask`, 'POST'],
    ] as const) {
      const { status, headers, body } = await api.send(method, path, undefined);
      assert.deepEqual([status, body.code, headers.get('allow')], [405, 'method_not_allowed', allow], `${method} ${path}`);
    }
    const head = await api.send('HEAD', `/v1/robots/${id}`, undefined);
    assert.deepEqual([head.status, head.body], [200, null]);
    await goesOn();
  });

  it('invalid, contradictory and endless HTTP is rejected on its own connection, and other connections are not affected', async () => {
    const { id, api, goesOn } = await setUp();
    const authorization = `authorization: Bearer ${api.key}\r\nhost: x\r\ncontent-type: application/json\r\n`;
    const post = `POST /v1/robots/${id}/show HTTP/1.1\r\n${authorization}`;
    const requests: [what: string, text: string, status: number][] = [
      ['garbage', '\u0016\u0003\u0001\u0002\u0000', 400],
      ['no HTTP', 'HELLO\r\n\r\n', 400],
      ['no method', `BREW /v1/robots HTTP/1.1\r\n${authorization}\r\n`, 400],
      ['two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
      ['a length that is none', `${post}content-length: abc\r\n\r\n{}`, 400],
      ['a negative length', `${post}content-length: -1\r\n\r\n{}`, 400],
      ['a length and chunks', `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 400],
      ['a chunk that is none', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, 400],
      ['headers of 20 KB', `${post}x: ${'y'.repeat(20_000)}\r\n\r\n`, 400],
      ['a length of 1 TB', `${post}content-length: 1099511627776\r\n\r\n{`, 413],
      ['the whole address as target', `GET http://elsewhere.example/v1/robots HTTP/1.1\r\n${authorization}\r\n`, 200],
      ['a star', `OPTIONS * HTTP/1.1\r\n${authorization}\r\n`, 404],
      ['no Host', `GET /v1/robots HTTP/1.1\r\nauthorization: Bearer ${api.key}\r\n\r\n`, 200],
      ['HTTP/1.0', `GET /v1/robots HTTP/1.0\r\nauthorization: Bearer ${api.key}\r\n\r\n`, 200],
      ['two keys', `GET /v1/robots HTTP/1.1\r\nhost: x\r\nauthorization: Bearer nobody\r\nauthorization: Bearer ${api.key}\r\n\r\n`, 401],
      ['a request to wait for', `${post}expect: 200-maybe\r\ncontent-length: 12\r\n\r\n{"text":"x"}`, 200],
    ];
    const answers = await Promise.all(requests.map(([what, text]) => raw(api, text).then((answer) => [what, answer] as const)));
    for (const [i, [what, answer]] of answers.entries()) {
      assert.match(answer, new RegExp(`^HTTP/1.1 ${requests[i]![2]} `), `${what}: ${answer.slice(0, 300)}`);
      const body = JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4)) as {
        ok: boolean;
        error?: string;
        code?: string;
        request_id?: string;
      };
      assert.equal(body.ok, requests[i]![2] === 200, what);
      if (!body.ok) assert.ok(body.error && body.code && body.request_id, `${what}: ${answer}`);
    }
    await goesOn();
  });

  it('Expect: 100-continue is answered with 100, or with the rejection before the body is sent', async () => {
    const { id, api, robot, goesOn } = await setUp();
    const asking = (key: string, length: number) =>
      `POST /v1/robots/${id}/show HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
    assert.match(await raw(api, asking(api.key, 12), '{"text":"x"}'), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    assert.ok(robot.screen.card !== null);
    assert.match(await raw(api, asking(`${api.key}x`, 12), '{"text":"x"}'), /^HTTP\/1.1 401 /);
    assert.match(await raw(api, asking(api.key, bodyMax + 1), '{"text":"x"}'), /^HTTP\/1.1 413 /);
    await goesOn();
  });

  it('a request whose body stops half-way times out, and the robot still takes calls', async () => {
    const { id, api, robot, goesOn } = await setUp();
    for (let i = 0; i < 5; i++) {
      const socket = connect(Number(new URL(api.base).port), '127.0.0.1');
      await new Promise<void>((resolve) => {
        socket.write(
          `POST /v1/robots/${id}/show HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"text":`,
          () => resolve(),
        );
      });
      socket.resetAndDestroy();
    }
    await goesOn();
    assert.equal(robot.screen.card, null);
  });
});

/** Returns the response to one raw request, up to its end or the end of the connection. @param body sent after "100 Continue" */
function raw(api: CheckedApi, request: string, body = ''): Promise<string> {
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(api.base).port), '127.0.0.1', () => socket.write(request));
    let text = '';
    const late = setTimeout(() => socket.destroy(new Error(`no answer to ${request.slice(0, 200)}; ${text}`)), 8000);
    const end = (): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('utf8').on('data', (part: string) => {
      if (text === '' && part.startsWith(goOn)) socket.write(body);
      text += part;
      const answer = text.startsWith(goOn) ? text.slice(goOn.length) : text;
      const head = answer.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)\r$/im.exec(answer)?.[1] ?? NaN);
      if (head !== -1 && Buffer.byteLength(answer.slice(head + 4)) >= length) end();
    });
    socket.on('end', end).on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
  });
}
