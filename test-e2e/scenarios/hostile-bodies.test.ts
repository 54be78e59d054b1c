import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { Answer } from '../fixture/clients/api.js';
import { checkedApi, connected, onSingleInstances } from '../fixture/system/shared-systems.js';

const bodyMax = 2_097_152;
const json = { 'content-type': 'application/json' };

onSingleInstances('hostile bodies', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const post = (action: string, body: string | Uint8Array | undefined, headers: Record<string, string> = json) =>
      api.send('POST', `/v1/robots/${id}/${action}`, body, { headers, signal: AbortSignal.timeout(10_000) });
    const goesOn = async () => assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    return { tenant, id, robot, api, post, goesOn };
  }

  it('a body that is not JSON gets 400 malformed_json with the position', async () => {
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

  it('JSON that is not an object, and a missing body, get 400 with what to send', async () => {
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

  it('an unsupported content type, charset or encoding gets 415; application/json with parameters is accepted', async () => {
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

  it('a body of 2 MB is accepted and one byte more gets 413, with and without Content-Length', async () => {
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

  it('__proto__ and similar names are rejected like other unknown arguments', async () => {
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
    await connected(api, id);
    const { body } = await post('events', '{"__proto__":{"after":99,"names":["tap"]}}');
    assert.equal(body.events.length, 1, 'nothing of it is taken');
    const { body: state } = await post('state', '{"__proto__":{"robot":"x"},"polluted":1}');
    assert.equal(state.id, id);
    await goesOn();
  });

  it('objects nested 100 levels or more get 400 wherever they are', async () => {
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

  it('huge and unusual texts are shown or rejected, never answered with 500', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const clearsScreen = '\u0000\u0007\u001b[2J';
    const texts = [
      'x'.repeat(1_000_000),
      'a\u0301'.repeat(200_000),
      `a${'\u0301'.repeat(500_000)}`,
      '👩‍👩‍👧‍👦'.repeat(50_000),
      clearsScreen,
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
      const { status, body } = await api.act(id, 'show', { text, title: text.slice(0, 20_000) });
      // Nothing of it would be seen.
      const isBlank = text.replace(clearsScreen, '').trim() === '';
      assert.equal(
        isBlank ? body.field : status,
        isBlank ? 'text' : 200,
        `${JSON.stringify(text.slice(0, 10))} of ${text.length}: ${JSON.stringify(body)}`,
      );
    }
    const question = await api.act(id, 'ask', {
      question: texts[3]!.slice(0, 99_999),
      answers: [texts[1]!.slice(0, 100_001), texts[2]!.slice(0, 100_000), texts[9]],
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
});
