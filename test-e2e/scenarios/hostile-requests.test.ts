import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { crc32 } from '@perch/virtual-robot';
import type { Answer } from '../fixture/api.js';
import { halves, picture, Pixels } from '../fixture/pictures.js';
import type { CheckedApi } from '../fixture/published.js';
import { checkedApi, onSharedStages } from '../fixture/shared-stage.js';

const bodyMax = 2_097_152;
const json = { 'content-type': 'application/json' };

onSharedStages('hostile requests', (stage) => {
  async function setUp() {
    const tenant = await stage().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const post = (action: string, body: string | Uint8Array | undefined, headers: Record<string, string> = json) =>
      api.send('POST', `/v1/robots/${id}/${action}`, body, { headers, signal: AbortSignal.timeout(10_000) });
    /** Whatever came before, the service goes on. */
    const goesOn = async () => assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    return { tenant, id, robot, api, post, goesOn };
  }

  it('what is not JSON is 400 malformed_json, and says where', async () => {
    const { post, goesOn } = await setUp();
    const bodies = [
      '{',
      '}',
      '{"text":"x"',
      '{"text":"x",}',
      "{'text':'x'}",
      '{text:"x"}',
      '{"text":"x"}x',
      '{"progress":NaN}',
      '{"progress":Infinity}',
      '{"progress":.5}',
      '{"progress":0x1}',
      '{"text":"\u0001"}',
      '{"text":"\\x"}',
      'undefined',
      '\ufeff{"text":"x"}',
      ' ',
    ];
    for (const body of bodies) {
      const { status, body: answer } = await post('show', body);
      assert.deepEqual([status, answer.code], [400, 'malformed_json'], JSON.stringify(body));
    }
    const notUtf8 = await post('show', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d));
    assert.deepEqual([notUtf8.status, notUtf8.body.code], [400, 'malformed_json']);
    await goesOn();
  });

  it('JSON that is no object, and no body at all, are 400 and say what to send', async () => {
    const { post, goesOn } = await setUp();
    for (const body of ['[]', '[{"text":"x"}]', 'null', 'true', '1', '"text"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      const { status, body: answer } = await post('show', body);
      assert.deepEqual([status, answer.code], [400, 'bad_argument'], body.slice(0, 40));
      assert.match(answer.error, /object/);
    }
    for (const headers of [json, {}]) {
      const { status, body: answer } = await post('state', undefined, headers);
      assert.deepEqual([status, answer.code], [400, 'bad_argument']);
      assert.match(answer.error, /\{\}/);
    }
    assert.equal((await post('state', '')).status, 400);
    await goesOn();
  });

  it('another content type, charset or encoding is 415; application/json with parameters is taken', async () => {
    const { post, goesOn } = await setUp();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'text/json',
      'application/json; charset=latin1',
      '',
    ]) {
      const { status, body } = await post('show', '{"text":"x"}', { 'content-type': type });
      assert.deepEqual([status, body.code], [415, 'not_json'], type);
    }
    assert.equal((await post('show', '{"text":"x"}', { ...json, 'content-encoding': 'gzip' })).status, 415);
    for (const type of ['application/json;charset=UTF-8', 'Application/JSON', 'application/json; charset="utf-8"']) {
      assert.equal((await post('show', '{"text":"x"}', { 'content-type': type })).status, 200, type);
    }
    await goesOn();
  });

  it('a body of 2 MB is taken, one byte more is 413, whether its length was said or not', async () => {
    const { id, api, post, goesOn } = await setUp();
    const fitting = `{"text":"x"${' '.repeat(bodyMax - 12)}}`;
    assert.equal(Buffer.byteLength(fitting), bodyMax);
    assert.equal((await post('show', fitting)).status, 200);
    const over = await post('show', `${fitting} `);
    assert.deepEqual([over.status, over.body.code], [413, 'body_too_large']);
    const chunked = async (text: string): Promise<Answer> => {
      const response = await fetch(`${api.base}/v1/robots/${id}/show`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${api.key}` },
        body: Readable.from(text.match(/.{1,65536}/gs)!.map((part) => Buffer.from(part))) as unknown as ReadableStream,
        duplex: 'half',
      } as RequestInit);
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    assert.equal((await chunked(fitting)).status, 200);
    assert.equal((await chunked(`${fitting} `)).status, 413);
    await goesOn();
  });

  it('pictures that are broken, lie about themselves or blow up are 400 and name the argument, fast', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const jpeg = Buffer.from(
      picture(300, 200, (context) => context.fillRect(0, 0, 150, 100), 'jpeg'),
      'base64',
    );
    const png = Buffer.from(halves(300, 200, '#ff0000', '#0000ff'), 'base64');
    const broken: [what: string, bytes: Uint8Array][] = [
      ['a truncated JPEG', jpeg.subarray(0, jpeg.length / 2)],
      ['a JPEG of its first bytes', jpeg.subarray(0, 20)],
      ['a truncated PNG', png.subarray(0, png.length - 40)],
      ['a PNG of its header', png.subarray(0, 33)],
      ['a PNG with a wrong sum', flipped(pngOf(10, 10, deflateSync(Buffer.alloc(310))), 45)],
      ['a PNG without pixels', pngOf(100, 100, Buffer.alloc(0))],
      ['a PNG that says 30,000 by 30,000', pngOf(30_000, 30_000, deflateSync(Buffer.alloc(1000)))],
      ['a PNG that says 2^31 - 1', pngOf(2 ** 31 - 1, 2 ** 31 - 1, deflateSync(Buffer.alloc(1000)))],
      ['a PNG of 0 by 0', pngOf(0, 0, deflateSync(Buffer.alloc(0)))],
      ['a PNG whose pixels are too few', pngOf(4096, 4096, deflateSync(Buffer.alloc(1000)))],
      ['a PNG of 100 by 100 that unpacks to 1 GB', pngOf(100, 100, bomb())],
      ['a GIF', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')],
      ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file:///etc/passwd"/></svg>')],
      ['a JPEG by its first bytes alone', Buffer.concat([Buffer.of(0xff, 0xd8, 0xff), Buffer.alloc(5000, 0x41)])],
      ['a PNG by its first bytes alone', Buffer.concat([png.subarray(0, 8), Buffer.alloc(5000, 0x41)])],
    ];
    await api.act(id, 'show', { background: '#123456' });
    const card = robot.screen.card!.id;
    for (const [what, bytes] of broken) {
      const began = performance.now();
      const { status, body } = await api.act(id, 'show', { image: Buffer.from(bytes).toString('base64') });
      assert.deepEqual([status, body.code, body.field], [400, 'bad_picture', 'image'], `${what}: ${JSON.stringify(body)}`);
      assert.ok(performance.now() - began < 3000, `${what}: ${performance.now() - began} ms`);
    }
    assert.equal(robot.screen.card?.id, card, 'the card stays');
    const second = await api.act(id, 'menu', {
      items: [
        { label: 'a', image: png.toString('base64') },
        { label: 'b', image: jpeg.subarray(0, 900).toString('base64') },
      ],
    });
    assert.deepEqual([second.status, second.body.field], [400, 'items[1].image'], JSON.stringify(second.body));
    await goesOn();
  });

  it('a picture packed as densely as can be is shown or refused, and others are drawn meanwhile', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const dense = { image: pngOf(4096, 4096, deflateSync(Buffer.alloc(4096 * (4096 * 3 + 1)), { level: 9 })).toString('base64') };
    const calls = [0, 1, 2].map(() => api.act(id, 'show', dense));
    const other = await (await stage().tenant()).robot();
    const beside = await (await checkedApi(await stage().tenant())).get('/v1/robots');
    assert.equal(beside.status, 200);
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
    assert.ok((await Pixels.of(robot.screen.card)).is(160, 120, '#000000'));
    assert.equal(other.robot.violations.length, 0);
    await goesOn();
  });

  it('__proto__ and its kind are arguments like any that are unknown', async () => {
    const { id, api, post, goesOn } = await setUp();
    for (const [action, body, field] of [
      ['show', '{"__proto__":{"text":"x"}}', '__proto__'],
      ['show', '{"text":"x","constructor":{"prototype":{"polluted":1}}}', 'constructor'],
      ['show', '{"text":"x","hasOwnProperty":1}', 'hasOwnProperty'],
      ['clickmap', '{"regions":[{"id":"r","__proto__":{"rect":[0,0,9,9]}}]}', 'regions[0].__proto__'],
      ['menu', '{"items":["a",{"label":"b","toString":"c"}]}', 'items[1].toString'],
      ['command', '{"command":"brightness","args":{"pct":1,"__proto__":{"x":1}}}', 'args.__proto__'],
      ['command', '{"command":"brightness","args":{"__proto__":{"pct":1}}}', undefined],
    ] as const) {
      const { status, body: answer } = await post(action, body);
      assert.equal(status, 400, `${body} ${JSON.stringify(answer)}`);
      if (field !== undefined) assert.equal(answer.field, field);
    }
    for (const command of ['__proto__', 'constructor', 'toString']) assert.equal((await api.act(id, 'command', { command })).status, 501, command);
    const { body } = await post('events', '{"__proto__":{"after":99,"names":["tap"]}}');
    assert.equal(body.events.length, 1, 'nothing of it is taken');
    const { body: state } = await post('state', '{"__proto__":{"robot":"x"},"polluted":1}');
    assert.equal(state.id, id);
    await goesOn();
  });

  it('objects 100 deep and more are 400 wherever they are', async () => {
    const { post, goesOn } = await setUp();
    for (const depth of [100, 50_000]) {
      const nest = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const list = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
      for (const [action, body, field] of [
        ['show', `{"text":${nest}}`, 'text'],
        ['show', nest, 'a'],
        ['leds', `{"pixels":${list}}`, 'pixels'],
        ['clickmap', `{"regions":${list}}`, 'regions'],
        ['clickmap', `{"regions":[{"id":"r","polygon":[[1,1],[2,2],${list}]}]}`, 'regions[0].polygon[2]'],
        ['command', `{"command":"brightness","args":${nest}}`, 'args'],
        ['command', `{"command":"brightness","args":{"pct":${list}}}`, 'args'],
      ] as const) {
        const { status, body: answer } = await post(action, body);
        assert.equal(status, 400, `${action} ${depth}`);
        assert.ok(answer.field.startsWith(field), `${action} ${depth}: ${answer.field}`);
        assert.ok(answer.error.length < 500);
      }
    }
    await goesOn();
  });

  it('huge and strange texts are shown or refused, never an error of ours', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const texts = [
      'x'.repeat(1_000_000),
      'a\u0301'.repeat(200_000),
      `a${'\u0301'.repeat(500_000)}`,
      '👩‍👩‍👧‍👦'.repeat(50_000),
      '\u0000\u0007\u001b[2J',
      '\ud800',
      '\udfff\ud800',
      '\u202e\u2066abc',
      '\n'.repeat(300_000),
      'Z̸̡͓a͢͠l̛g̈o',
      '﷽'.repeat(50_000),
      ' '.repeat(300_000),
      'W'.repeat(300_000),
      'x y '.repeat(200_000),
    ];
    for (const text of texts) {
      const began = performance.now();
      const { status, body } = await api.act(id, 'show', { text, title: text.slice(0, 20_000) });
      assert.equal(status, 200, `${JSON.stringify(text.slice(0, 10))} of ${text.length}: ${JSON.stringify(body)}`);
      assert.ok(performance.now() - began < 3000, `${JSON.stringify(text.slice(0, 10))} of ${text.length}: ${performance.now() - began} ms`);
    }
    const question = await api.act(id, 'ask', {
      question: texts[3]!.slice(0, 99_999),
      answers: [texts[1]!.slice(0, 100_001), texts[2]!.slice(0, 100_000), texts[8]],
      timeout_s: 0.05,
    });
    assert.equal(question.status, 200);
    await api.act(id, 'show', { clear: true });
    assert.equal((await api.act(id, 'say', { text: '\ud800' })).status, 200);
    for (const [action, args] of [
      ['say', { text: texts[0] }],
      ['command', { command: texts[1] }],
      ['sound', { notes: texts[0] }],
      ['sound', { notes: 'C4:1 '.repeat(300_000) }],
    ] as const) {
      const { status, body } = await api.act(id, action, args);
      assert.equal(status, 400);
      assert.ok(body.error.length < 500, `${body.error.length} characters of error`);
    }
    assert.deepEqual(robot.violations, []);
    await goesOn();
  });

  it('paths and methods that are not there are 404 and 405 in JSON, whatever is in them', async () => {
    const { id, api, goesOn } = await setUp();
    const paths = [
      '/',
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
      '/favicon.ico',
      `/v1/${'a'.repeat(8000)}`,
      '/v1/robots?robot=x',
      '/mcp',
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

  it('a method that a path does not take is 405 and says which it takes', async () => {
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

  it('what is not HTTP, contradicts itself or never ends is refused on its connection, and no other notices', async () => {
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

  it('a client that stops half-way through its body is forgotten, and its robot goes on', async () => {
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

/** What comes back on a connection for one request, until it is whole or the connection ends. */
function raw(api: CheckedApi, request: string): Promise<string> {
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
      text += part;
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)\r$/im.exec(text)?.[1] ?? NaN);
      if (head !== -1 && Buffer.byteLength(text.slice(head + 4)) >= length) end();
    });
    socket.on('end', end).on('error', (error) => (clearTimeout(late), reject(error)));
  });
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 0xff;
  return copy;
}

/** A PNG that says it is so large, 8 bits RGB, with these packed pixels. */
function pngOf(w: number, h: number, packed: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(w, 0);
  header.writeUInt32BE(h, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, 'latin1');
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}

/** A zlib stream of 1 MB that unpacks to a gigabyte of zeros: one deflated megabyte, flushed whole, again and again. */
function bomb(): Buffer {
  const header = Buffer.of(0x78, 0x9c);
  const piece = deflateSync(Buffer.alloc(2 ** 20), { finishFlush: 2 }).subarray(2);
  return Buffer.concat([header, ...Array.from({ length: 1024 }, () => piece)]).subarray(0, 1_190_000);
}
