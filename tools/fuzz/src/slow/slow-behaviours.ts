export interface SlowBehaviour {
  name: string;
  port: 'gateway' | 'link';
  /** Sent when the connection opens; connections take them in turn, so that they have different keys and tokens. */
  firsts: readonly Buffer[];
  /** Sent one byte at a time after that, repeatedly; empty: nothing more. */
  drops: Buffer;
  reads: boolean;
}

export interface SlowBehaviourNames {
  /** Each allows 30 calls at once and 10 a second. */
  keys: readonly string[];
  robot: string;
  /** Each allows 100 connections in 10 s. */
  robotTokens: readonly string[];
}

export function slowBehaviours({ keys, robot, robotTokens }: SlowBehaviourNames): SlowBehaviour[] {
  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
  const nothing = Buffer.alloc(0);
  const withKeys = (rest: string): Buffer[] =>
    keys.map((key) =>
      bytes(`POST /v1/robots/${robot}/state HTTP/1.1\r\nhost: slow\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${rest}`),
    );
  const upgrade =
    `GET /robot/v1/link HTTP/1.1\r\nhost: slow\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n` +
    `sec-websocket-version: 13\r\nsec-websocket-protocol: perch-link.v1\r\n`;
  const big = keys.map((key) => bytes(`GET /v1/openapi.json HTTP/1.1\r\nhost: slow\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(8)));
  const way = (port: SlowBehaviour['port'], name: string, firsts: readonly Buffer[], drops: Buffer = nothing, reads = true): SlowBehaviour => ({
    name,
    port,
    firsts,
    drops,
    reads,
  });
  return [
    way('gateway', 'connects and says nothing', [nothing]),
    way('gateway', 'drips its head', [bytes('POST /v1/robots HTTP/1.1\r\n')], bytes('x: y\r\n')),
    way('gateway', 'stops within its head', withKeys('')),
    way('gateway', 'drips its body', withKeys('content-length: 1000000\r\n\r\n{'), bytes(' ')),
    // Few keys suffice: the body budget of their account is attacked.
    way('gateway', 'stops within a large body', withKeys(`content-length: 2000000\r\n\r\n${' '.repeat(1_000_000)}`).slice(0, 8)),
    way('gateway', 'stops within its body', withKeys('content-length: 1000\r\n\r\n{"a":')),
    way('gateway', 'drips chunks', withKeys('transfer-encoding: chunked\r\n\r\n'), bytes('1\r\n \r\n')),
    way('gateway', 'reads no answers', big, nothing, false),
    way('link', 'drips its handshake', [bytes(upgrade)], bytes('x: y\r\n')),
    way(
      'link',
      'says no hello',
      robotTokens.map((token) => bytes(`${upgrade}authorization: Bearer ${token}\r\n\r\n`)),
    ),
    way(
      'link',
      'drips its pairing',
      [bytes('POST /robot/v1/pair HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{')],
      bytes(' '),
    ),
  ];
}
