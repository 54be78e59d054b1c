// A WebSocket client (RFC 6455) over Node's http, as far as the link needs one: Node has one of its own from 22 on.
// No fragments and no extensions: the service sends neither.
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const [text, close, ping, pong] = [1, 8, 9, 10];

/**
 * @param on `opened()`, `text(string)`, `binary(bytes)` and `ended(code, pair)`: a close code, or the HTTP status of a refusal; `pair` if the service does
 *   not know the token
 */
export function dial(address, protocol, token, on) {
  let socket = null;
  let data = Buffer.alloc(0);
  let isOver = false;

  const end = (code, pair = false) => {
    if (isOver) return;
    isOver = true;
    socket?.destroy();
    on.ended(code, pair);
  };
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': protocol,
    authorization: `Bearer ${token}`,
  };
  const dialled = (address.startsWith('wss:') ? httpsRequest : httpRequest)(address.replace(/^ws/, 'http'), { headers, timeout: 10_000 });
  dialled.on('timeout', () => socket ?? dialled.destroy());
  dialled.on('error', (error) => end(error.code ?? error.message));
  dialled.on('response', (response) => {
    response.resume();
    end(response.statusCode, response.headers['perch-link'] === 'pair');
  });
  dialled.on('upgrade', (_response, upgraded, first) => {
    socket = upgraded;
    socket.setTimeout(0);
    socket
      .on('data', take)
      .on('error', () => end(1006))
      .on('close', () => end(1006));
    on.opened();
    take(first);
  });
  dialled.end();

  function take(bytes) {
    data = Buffer.concat([data, bytes]);
    while (data.length >= 2) {
      if (isOver) return;
      const short = data[1];
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length < start) return;
      const size = short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
      if (data.length < start + size) return;
      const [opcode, payload] = [data[0] & 15, data.subarray(start, start + size)];
      data = data.subarray(start + size);
      if (opcode === close) end(payload.length < 2 ? 1005 : payload.readUInt16BE(0));
      else if (opcode === ping) send(payload, pong);
      else if (opcode === text) on.text(payload.toString('utf8'));
      else on.binary(payload);
    }
  }

  /** A client masks what it sends. At most 65,535 bytes. */
  function send(payload, opcode = text) {
    const size = payload.length;
    const mask = randomBytes(4);
    const head = size < 126 ? [0x80 | opcode, 0x80 | size] : [0x80 | opcode, 0x80 | 126, size >> 8, size & 255];
    socket?.write(Buffer.concat([Buffer.from(head), mask, payload.map((byte, index) => byte ^ mask[index % 4])]));
  }

  return { send: (message) => send(Buffer.from(JSON.stringify(message))), end: () => end(1006) };
}
