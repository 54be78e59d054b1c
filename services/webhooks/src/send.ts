/**
 * Sends one message: signed, without following redirects, and to public addresses only, unless `allowPrivate`. The address is checked when connecting,
 * because a name can resolve to another address later. Discards the response body.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connectionFailure, publicLookup, refuseLiteral, type ResolveAll } from '@perch/runtime';
import { interfaceVersion } from '@perch/schema';
import type { SendResult, WebhookRecord } from '@perch/store';
import { Webhook } from 'standardwebhooks';

export interface SendOptions {
  /** http and addresses that are not public. */
  allowPrivate: boolean;
  /** For the whole attempt; default 15 s. */
  timeoutMs?: number;
  /** Changed by tests only. */
  resolve?: ResolveAll;
}

type Message = { id: string; at: number; body: string };

const answerBytesMax = 4096;
/** Maximum number of informational (1xx) responses; each costs the event loop as much as a whole response. */
const informationMax = 8;

/** @throws only if `signal` is aborted */
export async function send(
  webhook: Pick<WebhookRecord, 'url' | 'secret' | 'former'>,
  message: Message,
  signal: AbortSignal,
  { allowPrivate, timeoutMs = 15_000, resolve }: SendOptions,
): Promise<SendResult> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const end = (): void => abort.abort();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const url = new URL(webhook.url);
    if (!allowPrivate) {
      if (url.protocol !== 'https:') return { status: null, error: 'The address is not https, as it must be without PERCH_WEBHOOK_ALLOW_PRIVATE.' };
      refuseLiteral(url.hostname);
    }
    const status = await post(url, headersOf(webhook, message), message.body, abort.signal, allowPrivate ? null : publicLookup(resolve));
    return { status, error: problemOf(status) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { status: null, error: abort.signal.aborted ? `The receiver did not answer within ${timeoutMs / 1000} s.` : connectionFailure(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function headersOf({ secret, former }: Pick<WebhookRecord, 'secret' | 'former'>, { id, at, body }: Message): Record<string, string> {
  // Standard Webhooks: during a change of secrets, one signature with each, separated by a space.
  const secrets = former !== undefined && at < former.until ? [secret, former.secret] : [secret];
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': `Perch-Webhooks/${interfaceVersion.replace(/^v/, '')}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, new Date(at), body)).join(' '),
  };
}

function post(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal, lookup: LookupFunction | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // No keep-alive: a connection kept open would go to an address checked long ago.
    const sent = request(url, { method: 'POST', headers, signal, agent: false, ...(lookup === null ? {} : { lookup }) });
    sent.on('error', reject);
    // A response that switches protocols (101) closes the connection without a further event.
    sent.on('close', () => reject(new Error('The connection was closed.')));
    let informed = 0;
    sent.on('information', () => {
      if (++informed > informationMax) sent.destroy(new Error('The receiver answered with too many informational responses.'));
    });
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let bytes = 0;
      const done = (): void => {
        resolve(status);
        sent.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) done();
      });
      response.on('end', done).on('error', reject);
    });
    sent.end(body);
  });
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver answered ${status}, a redirect; redirects are not followed.`;
  return `The receiver answered ${status}.`;
}
