import { linkPath } from '@perch/schema';
import type { Shape } from '../http/shape.js';

export interface Handshake extends Shape {
  /** Wrong tokens are limited per address, and must not lock out the connected robots. */
  wrongToken?: boolean;
  /** RFC 8628, or 426. */
  ownErrors?: boolean;
}

interface Upgrade {
  path?: string;
  token?: string | null;
  headers?: readonly string[];
  without?: readonly string[];
}

function upgrade({ path = linkPath, token = null, headers = [], without = [] }: Upgrade): Buffer[] {
  const lines = [
    'host: fuzz',
    'upgrade: websocket',
    'connection: Upgrade',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version: 13',
    'sec-websocket-protocol: perch-link.v1',
    ...(token === null ? [] : [`authorization: Bearer ${token}`]),
  ].filter((line) => !without.some((name) => line.startsWith(`${name}:`)));
  return [Buffer.from(`GET ${path} HTTP/1.1\r\n${[...lines, ...headers].join('\r\n')}\r\n\r\n`, 'latin1')];
}

export function handshakes(token: string): Handshake[] {
  const refused = (what: string, parts: Buffer[], ...statuses: (number | 'closed')[]): Handshake => ({ what, parts, answers: [statuses] });
  const plain = (text: string): Buffer[] => [Buffer.from(text, 'latin1')];
  const pair = (path: string, body: string, type = 'application/json'): Buffer[] =>
    plain(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ).concat(Buffer.from(body));
  const wrongTokens = ['x', '', token.slice(0, -1), `${token}x`, 'rt_' + 'A'.repeat(43), '__proto__', '*', 'y'.repeat(8000)];
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"serial":1,"model":"m","firmware":"f"}',
    `{"serial":"${'s'.repeat(65)}","model":"m","firmware":"f"}`,
    '{"serial":"","model":"m","firmware":"f"}',
    `{"x":"${'y'.repeat(5000)}"}`,
    '['.repeat(3000),
    '\ufeff{}',
  ];
  const codes = [
    '',
    '{',
    'null',
    '{}',
    '{"device_code":1}',
    '{"device_code":""}',
    '{"device_code":"x"}',
    `{"device_code":"${'x'.repeat(129)}"}`,
    '{"device_code":"__proto__"}',
  ];
  const hash = '5e'.repeat(32);
  const programs = [
    '',
    '/',
    hash,
    hash.toUpperCase(),
    hash.slice(1),
    `${hash}0`,
    `${hash}/`,
    `${hash}?x=1`,
    '__proto__',
    '..',
    '../link',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    '%',
    '*',
    'x'.repeat(5000),
  ];
  const program = (method: string, name: string): Buffer[] =>
    plain(`${method} /robot/v1/program/${name} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return [
    refused('no token', upgrade({}), 401),
    ...wrongTokens.map((wrong): Handshake => ({ ...refused(`a wrong token of ${wrong.length}`, upgrade({ token: wrong }), 401), wrongToken: true })),
    refused('a token in the address', upgrade({ path: `${linkPath}?token=${token}` }), 400),
    refused('another path', upgrade({ path: '/robot/v2/link', token }), 404),
    refused('a path that is none', upgrade({ path: '//', token }), 400, 404, 'closed'),
    refused('a path with a port that is none', upgrade({ path: '//x:99999/', token }), 400, 404, 'closed'),
    refused('the whole address', upgrade({ path: 'http://[/', token }), 400, 404, 'closed'),
    refused('no subprotocol', upgrade({ token, without: ['sec-websocket-protocol'] }), 400),
    refused('another subprotocol', upgrade({ token, without: ['sec-websocket-protocol'], headers: ['sec-websocket-protocol: chat'] }), 400),
    refused('a subprotocol twice', upgrade({ token, headers: ['sec-websocket-protocol: perch-link.v1'] }), 400),
    refused(
      'subprotocols with nothing between',
      upgrade({ token, without: ['sec-websocket-protocol'], headers: ['sec-websocket-protocol: perch-link.v1,,x'] }),
      400,
    ),
    refused('no key', upgrade({ token, without: ['sec-websocket-key'] }), 400),
    refused('a key that is none', upgrade({ token, without: ['sec-websocket-key'], headers: ['sec-websocket-key: x'] }), 400),
    refused('version 8', upgrade({ token, without: ['sec-websocket-version'], headers: ['sec-websocket-version: 12'] }), 400, 426),
    refused('no version', upgrade({ token, without: ['sec-websocket-version'] }), 400, 426),
    refused('an upgrade to something else', upgrade({ token, without: ['upgrade'], headers: ['upgrade: h2c'] }), 400, 426),
    refused('POST', plain(upgrade({ token })[0]!.toString('latin1').replace('GET', 'POST')), 400, 405, 426),
    { ...refused('not an upgrade', plain(`GET ${linkPath} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`), 426), ownErrors: true },
    refused('another page', plain('GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), 404),
    refused('garbage', plain('\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'), 400, 'closed'),
    refused('headers of 20 KB', upgrade({ token, headers: [`x: ${'y'.repeat(20_000)}`] }), 400, 431, 'closed'),
    { what: 'half a handshake', parts: [upgrade({ token })[0]!.subarray(0, 80)], answers: [], half: true },
    // Pairing allows 20 requests a minute per address: later ones are answered 429.
    ...bodies.map((body) => refused(`pairing with ${body.slice(0, 20)}`, pair('/robot/v1/pair', body), 400, 413, 429)),
    ...codes.map((body): Handshake => ({
      ...refused(`a pairing's token with ${body.slice(0, 20)}`, pair('/robot/v1/pair/token', body), 400, 413),
      ownErrors: true,
    })),
    refused('pairing as a form of another site does', pair('/robot/v1/pair', '{"serial":"s","model":"m","firmware":"f"}', 'text/plain'), 415),
    // A robot fetches its update without a token: only the path that the service offers exists.
    ...programs.map((name) => refused(`the program ${name.slice(0, 20)}`, program('GET', name), 400, 404)),
    ...['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => refused(`the program by ${method}`, program(method, hash), 404, 405)),
    refused('a handshake at the path of a program', upgrade({ path: `/robot/v1/program/${hash}`, token }), 404),
    refused('pairing by GET', plain('GET /robot/v1/pair HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), 405),
  ];
}
