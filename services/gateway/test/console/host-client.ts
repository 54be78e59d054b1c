/** Sends requests with a Host header of choice, which fetch does not, to the port of a gateway. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { GatewayUnderTest, Answer } from '../gateway-under-test.js';

export function hostClient({ base }: Pick<GatewayUnderTest, 'base'>): Pick<GatewayUnderTest, 'ask'> {
  return { ask: (method, path, sent) => askPort(Number(new URL(base).port), { method, path, body: sent?.body, headers: sent?.headers ?? {} }) };
}

interface Sent {
  method: string;
  path: string;
  body: unknown;
  headers: Record<string, string>;
}

async function askPort(port: number, { method, path, body, headers }: Sent): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const about = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: { ...about, ...headers } });
  outgoing.end(text);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = new Headers();
  for (let i = 0; i < response.rawHeaders.length; i += 2) received.append(response.rawHeaders[i]!, response.rawHeaders[i + 1]!);
  let answer = '';
  for await (const part of response.setEncoding('utf8')) answer += String(part);
  return { status: response.statusCode!, headers: received, body: answer === '' ? null : JSON.parse(answer) };
}
