/** Connections to a robot-link as a robot opens them, without the robot's program. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

export const protocol = 'perch-link.v1';

export interface Refused {
  status: number;
  headers: IncomingHttpHeaders;
  body: { ok: boolean; error: string; code: string; request_id: string };
}

export async function dial(
  url: string,
  { protocols = [protocol], token, headers = {} }: { protocols?: string[]; token?: string; headers?: Record<string, string> } = {},
): Promise<WebSocket | Refused> {
  const socket = new WebSocket(url, protocols, { headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) } });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request: unknown, response: IncomingMessage) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) as Refused['body'] }));
    });
  });
}

export async function opened(url: string, token: string): Promise<WebSocket> {
  const socket = await dial(url, { token });
  assert.ok(socket instanceof WebSocket);
  return socket;
}

export async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

export const hello = {
  t: 'hello',
  v: [1],
  model: 'm',
  firmware: 'f',
  boot_id: 'b1',
  dial: 1,
  reason: 'start',
  features: [],
  commands: [],
  showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
};
