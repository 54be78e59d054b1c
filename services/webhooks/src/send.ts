/**
 * Sends one message: signed, with a time limit, without following redirects, to an address that is checked when connecting.
 * Reads at most a little of the response body and discards it.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { interfaceVersion } from '@perch/schema';
import type { SendResult, WebhookRecord } from '@perch/store';
import { Webhook } from 'standardwebhooks';
import { publicLookup, RefusedAddress, refuseLiteral } from './lookup.js';

export interface SendOptions {
  /** Whether http and addresses that are not public are allowed. */
  allowPrivate: boolean;
  /** Limit for the whole attempt; default 15 s. */
  timeoutMs?: number;
}

type Message = { id: string; at: number; body: string };

const answerBytesMax = 4096;

/** @throws only if `signal` is aborted */
export async function send(
  webhook: Pick<WebhookRecord, 'url' | 'secret'>,
  message: Message,
  signal: AbortSignal,
  { allowPrivate, timeoutMs = 15_000 }: SendOptions,
): Promise<SendResult> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const end = (): void => abort.abort();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const url = new URL(webhook.url);
    if (!allowPrivate) {
      if (url.protocol !== 'https:') return { status: null, error: 'The address is not https.' };
      refuseLiteral(url.hostname);
    }
    const status = await post(url, headersOf(webhook.secret, message), message.body, abort.signal, allowPrivate);
    return { status, error: problemOf(status) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { status: null, error: abort.signal.aborted ? `The receiver did not answer within ${timeoutMs / 1000} s.` : failureText(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function headersOf(secret: string, { id, at, body }: Message): Record<string, string> {
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': `Perch-Webhooks/${interfaceVersion.replace(/^v/, '')}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
  };
}

function post(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal, allowPrivate: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // No keep-alive: a connection kept open would go to an address checked long ago.
    const sent = request(url, { method: 'POST', headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: publicLookup() }) });
    sent.on('error', reject);
    // A response that switches protocols (101) closes the connection without a further event.
    sent.on('close', () => reject(new Error('The connection was closed.')));
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

/** Describes a failed connection to the webhook's owner, without revealing anything about this network that the address does not. */
function failureText(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  const inside = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  if (inside instanceof RefusedAddress) return inside.message;
  return code === undefined ? 'The connection failed.' : `The connection failed: ${code}.`;
}
