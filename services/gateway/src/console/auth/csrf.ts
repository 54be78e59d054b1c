/** The token that a page sends with all it changes: only a page of ours can have read it, since it came in an answer of ours. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ConsoleError } from '@perch/schema';

/** @param secret the session's, which the token tells nothing of */
export function csrfToken(secret: string): string {
  return createHash('sha256').update(`csrf:${secret}`).digest('base64url');
}

/** @throws {ConsoleError} forbidden, where the token is missing or another session's */
export function requireCsrf({ headers }: IncomingMessage, secret: string): void {
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const own = Buffer.from(csrfToken(secret));
  if (sent.length !== own.length || !timingSafeEqual(sent, own))
    throw new ConsoleError('forbidden', 'The page is out of date: its X-CSRF-Token is missing or of another session. Reload the page.');
}
