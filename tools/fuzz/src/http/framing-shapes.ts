import fc from 'fast-check';
import { headOf, requestOf, type Shape } from './shape.js';

const inner = 'GET /v1/robots HTTP/1.1\r\nhost: smuggled\r\nconnection: close\r\n\r\n';

/** @param act path of a cheap action that accepts `{}` */
export function framingShapes(key: string, act: string): fc.Arbitrary<Shape> {
  const post = (headers: readonly string[], body: string): Buffer[] => [
    Buffer.from(headOf({ path: act, key, headers: ['content-type: application/json', ...headers] }) + body, 'latin1'),
  ];
  const refused = (what: string, parts: readonly Buffer[]): Shape => ({ what, parts, answers: [[400, 'closed']] });
  const taken = (what: string, parts: readonly Buffer[]): Shape => ({ what, parts, answers: [[200]] });
  const text = (bytes: string): Buffer[] => [Buffer.from(bytes, 'latin1')];
  const line = (requestLine: string): Buffer[] => text(`${requestLine}\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`);

  const fixed: Shape[] = [
    refused('garbage', text('\u0016\u0003\u0001\u0002\u0000\u0001')),
    refused('the preface of HTTP/2', text('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
    { what: 'HTTP/0.9', parts: text('GET /v1/robots\r\n\r\n'), answers: [[400, 401, 'closed']] },
    refused('HTTP/3.7', line('GET /v1/robots HTTP/3.7')),
    refused('HTTP/1.', line('GET /v1/robots HTTP/1.')),
    refused('an unknown method', line('BREW /v1/robots HTTP/1.1')),
    refused('a method in small letters', line('get /v1/robots HTTP/1.1')),
    refused('NUL in the target', line('GET /v1/rob\u0000ots HTTP/1.1')),
    refused('a space in the target', line('GET /v1/ro bots HTTP/1.1')),
    refused('no target', line('GET HTTP/1.1')),
    refused('a header without a colon', post(['content-length 2'], '{}')),
    refused('a space before the colon', post(['content-length : 2'], '{}')),
    refused('NUL in a header', post(['x: a\u0000b', 'content-length: 2'], '{}')),
    refused('a folded header', post(['x: a', ' b: c', 'content-length: 2'], '{}')),
    refused('a bare CR in a header', post(['x: a\rb', 'content-length: 2'], '{}')),
    refused('headers of 20 KB', post([`x: ${'y'.repeat(20_000)}`, 'content-length: 2'], '{}')),
    refused('a target of 20 KB', line(`GET /v1/${'a'.repeat(20_000)} HTTP/1.1`)),
    refused('4,000 headers', post([...Array.from({ length: 4000 }, (_, i) => `x${i}: y`), 'content-length: 2'], '{}')),
    refused('two lengths', post(['content-length: 2', 'content-length: 3'], '{}x')),
    refused('two lengths in one', post(['content-length: 2, 2'], '{}')),
    refused('a length and chunks', post(['content-length: 2', 'transfer-encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n')),
    refused('chunks and a length', post(['transfer-encoding: chunked', 'content-length: 2'], '2\r\n{}\r\n0\r\n\r\n')),
    refused('chunks, and a request behind the length', post(['content-length: 4', 'transfer-encoding: chunked'], `0\r\n\r\n${inner}`)),
    ...['abc', '-1', '+2', '0x2', '2.0', '2 2', '99999999999999999999999', '٢', '', ' '].map((length) =>
      refused(`a length of ${JSON.stringify(length)}`, post([`content-length: ${length}`], '{}')),
    ),
    ...['xchunked', 'chunked, identity', 'identity', 'gzip, x', 'chunked;q=1', '\u000bchunked', 'chunked\u0000'].map((encoding) =>
      refused(`transfer-encoding ${JSON.stringify(encoding)}`, post([`transfer-encoding: ${encoding}`], '2\r\n{}\r\n0\r\n\r\n')),
    ),
    ...['zz', '-2', '0x2', '2 ', '', 'ffffffffffffffffff', '2\u0000', '2;a=\u0000'].map((size) =>
      refused(`a chunk of ${JSON.stringify(size)}`, post(['transfer-encoding: chunked'], `${size}\r\n{}\r\n0\r\n\r\n`)),
    ),
    refused('a chunk longer than it says', post(['transfer-encoding: chunked'], '1\r\n{}\r\n0\r\n\r\n')),
    refused('chunks ended by LF', post(['transfer-encoding: chunked'], '2\n{}\n0\n\n')),
    taken('chunks with an extension and a trailer', post(['transfer-encoding: chunked'], '2;a="b"\r\n{}\r\n0\r\nx: y\r\n\r\n')),
    taken('Chunked with a capital', post(['Transfer-Encoding: Chunked'], '2\r\n{}\r\n0\r\n\r\n')),
    taken('a length with zeros in front', post(['content-length: 0000002'], '{}')),
    taken('each chunk a byte', [...post(['transfer-encoding: chunked'], ''), ...text('1\r\n{\r\n'), ...text('1\r\n}\r\n'), ...text('0\r\n\r\n')]),
    taken('HTTP/1.0', text(`GET /v1/robots HTTP/1.0\r\nauthorization: Bearer ${key}\r\n\r\n`)),
    taken('no Host', text(`GET /v1/robots HTTP/1.1\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`)),
    taken('the whole address as target', line('GET http://elsewhere.example/v1/robots HTTP/1.1')),
    taken('a line before the request', text(`\r\n\r\n${headOf({ method: 'GET', path: '/v1/robots', key })}`)),
    taken(
      'h2c asked for',
      post(['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAARAAAAAAAIAAAAA', 'content-length: 2'], '{}'),
    ),
    taken('a WebSocket asked for', post(['upgrade: websocket', 'sec-websocket-key: eHg=', 'sec-websocket-version: 13', 'content-length: 2'], '{}')),
    taken('something unknown expected', post(['expect: the-unexpected', 'content-length: 2'], '{}')),
    { what: 'CONNECT', parts: line('CONNECT elsewhere.example:443 HTTP/1.1'), answers: [[404, 405, 400, 'closed']] },
    { what: 'OPTIONS *', parts: line('OPTIONS * HTTP/1.1'), answers: [[404]] },
    { what: 'TRACE', parts: line('TRACE /v1/robots HTTP/1.1'), answers: [[405]] },
    { what: 'a length of 1 TB', parts: post(['content-length: 1099511627776'], '{'), answers: [[413]] },
    { what: 'a request hidden in a body', parts: [requestOf({ path: act, key }, inner)], answers: [[400]] },
    { what: 'a request behind the body of a last one', parts: post(['content-length: 2'], `{}${inner}`), answers: [[200]] },
    { what: 'fewer bytes than the length', parts: post(['content-length: 20'], '{}'), answers: [], half: true },
    { what: 'a head that stops', parts: text(`POST ${act} HTTP/1.1\r\nhost: x\r\nauthori`), answers: [], half: true },
    { what: 'chunks that stop', parts: post(['transfer-encoding: chunked'], '2\r\n{'), answers: [], half: true },
  ];

  const pipelined = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.boolean()).map(([count, broken]): Shape => {
    const one = `GET /v1/actions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
    return {
      what: `${count} requests in one packet${broken ? ', and garbage' : ''}`,
      parts: text(one.repeat(count) + (broken ? '\u0000\u0000\r\n\r\n' : '')),
      answers: [...Array.from({ length: count }, () => [200] as const), ...(broken ? [[400, 'closed'] as const] : [])],
    };
  });
  const anyHeader = fc.uint8Array({ maxLength: 40 }).map((bytes): Shape => {
    const value = Buffer.from(bytes).toString('latin1');
    return { what: 'any bytes as a header', parts: post([`x: ${value}`, 'content-length: 2'], '{}'), answers: [[200, 400, 415, 413, 'closed']] };
  });
  const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes): Shape => {
    const parts = [Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')])];
    return refused('any bytes', parts);
  });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...fixed) },
    { weight: 1, arbitrary: pipelined },
    { weight: 1, arbitrary: anyHeader },
    { weight: 1, arbitrary: anyBytes },
  );
}
