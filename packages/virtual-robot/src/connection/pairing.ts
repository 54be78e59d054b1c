/** Pairs a robot with an account (modelled on RFC 8628). */

import { systemClock, type Clock } from '../clock.js';
import { isFields, type Fields } from './messages.js';

export interface UserCode {
  /** XXXX-XXXX. */
  userCode: string;
  verificationUri: string;
  verificationUriComplete: string;
  expiresInS: number;
}

export interface PairOptions {
  serial: string;
  model?: string;
  firmware?: string;
  /** Proves that this is the same hardware; if another account pairs it, the former owner's robot loses its token. */
  formerToken?: string;
  onCode?: (code: UserCode) => void;
  signal?: AbortSignal;
  clock?: Clock;
  /** Below 1 the service may respond with `slow_down`. */
  paceFactor?: number;
}

export class PairingError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`pairing: ${code}`);
    this.code = code;
  }
}

/** Resolves when a person has entered the code. @param httpUrl `http(s)://HOST` @throws {PairingError} such as `expired_token`: nobody entered it */
export async function pair(httpUrl: string, options: PairOptions): Promise<{ robotId: string; token: string }> {
  const { serial, model = 'stackchan-k151', firmware = '1.0.0', onCode, signal, clock = systemClock, paceFactor = 1, formerToken } = options;
  const base = httpUrl.replace(/\/+$/, '');
  const begun = await post(`${base}/robot/v1/pair`, { serial, model, firmware }, signal, formerToken);
  if (begun.status !== 200) throw refusal(begun);
  onCode?.({
    userCode: String(begun.body['user_code']),
    verificationUri: String(begun.body['verification_uri']),
    verificationUriComplete: String(begun.body['verification_uri_complete']),
    expiresInS: Number(begun.body['expires_in']),
  });
  let intervalS = Number(begun.body['interval'] ?? 5);
  for (;;) {
    await pause(intervalS * 1000 * paceFactor, clock, signal);
    const { status, body } = await post(`${base}/robot/v1/pair/token`, { device_code: begun.body['device_code'] }, signal);
    if (status === 200) return { robotId: String(body['robot_id']), token: String(body['token']) };
    if (body['error'] === 'slow_down') intervalS += 5;
    else if (body['error'] !== 'authorization_pending') throw refusal({ status, body });
  }
}

function refusal({ status, body }: { status: number; body: Fields }): PairingError {
  return new PairingError(typeof body['error'] === 'string' ? body['error'] : `status ${status}`);
}

async function post(url: string, body: Fields, signal: AbortSignal | undefined, token?: string): Promise<{ status: number; body: Fields }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: isFields(answer) ? answer : {} };
}

function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clock.clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
