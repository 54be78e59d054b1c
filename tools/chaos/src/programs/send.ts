/** Sends one HTTP request, once; by default on a new connection, so that a refused or cut connection affects this call alone. */
import { request, type Agent } from 'node:http';
import { isObject } from '@perch/schema';
import type { Body, Ending } from '../history/records.js';

export interface Request {
  method: 'GET' | 'POST';
  url: string;
  key: string;
  args: Body | null;
  idempotencyKey: string | null;
}

export interface SendOptions {
  giveUpMs: number;
  hangUpMs: number | null;
  agent?: Agent | undefined;
}

/** Never rejects. */
export function send({ method, url, key, args, idempotencyKey }: Request, { giveUpMs, hangUpMs, agent }: SendOptions): Promise<Ending> {
  const body = args === null ? null : JSON.stringify(args);
  const headers = {
    authorization: `Bearer ${key}`,
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    const end = (ending: Ending): void => {
      for (const timer of timers) clearTimeout(timer);
      resolve(ending);
    };
    const call = request(url, { method, agent: agent ?? false, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => end({ how: 'answered', status: response.statusCode ?? 0, body: bodyOf(text) }));
      response.on('error', (error) => end({ how: 'broken', error: error.message }));
    });
    call.on('error', (error: NodeJS.ErrnoException) => end({ how: 'broken', error: error.code ?? error.message }));
    const after = (ms: number, ending: Ending): void => {
      const timer = setTimeout(() => {
        end(ending);
        call.destroy();
      }, ms);
      timers.push(timer);
    };
    after(giveUpMs, { how: 'broken', error: `no answer within ${giveUpMs} ms`, gaveUp: true });
    if (hangUpMs !== null) after(hangUpMs, { how: 'hung-up' });
    call.end(body ?? undefined);
  });
}

function bodyOf(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : { unreadable: text.slice(0, 200) };
  } catch {
    return { unreadable: text.slice(0, 200) };
  }
}
