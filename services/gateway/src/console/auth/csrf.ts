/** CSRF token of requests that change something: only a page of this service can have read it from a response of this service. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { sha256Short } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';

/** @param secret secret of the session; the token does not reveal it */
export function csrfToken(secret: string): string {
  return sha256Short(`csrf:${secret}`);
}

/** @throws {ConsoleError} forbidden, if the token is missing or belongs to another session */
export function requireCsrf({ headers }: IncomingMessage, secret: string): void {
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const own = Buffer.from(csrfToken(secret));
  if (sent.length !== own.length || !timingSafeEqual(sent, own))
    throw new ConsoleError('forbidden', 'The page is out of date: its X-CSRF-Token is missing or belongs to another session. Reload the page.');
}
