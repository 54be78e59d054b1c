/** Everything a request says about its sender, and a second implementation of the console's access rules. */
import fc from 'fast-check';
import { forbidden, signedOut, type End } from './expected-results.js';
import { cookies, pages, tokens, type SenderCredentials, type SenderHeader } from './sender-headers.js';
import type { ConsoleRoute } from './routes.js';

export interface Sender {
  page: SenderHeader;
  cookie: SenderHeader;
  token: SenderHeader;
}

export function linesOf({ page, cookie, token }: Sender): string[] {
  return [...page.lines, ...cookie.lines, ...token.lines];
}

export function senderName({ page, cookie, token }: Sender): string {
  return [page.what, cookie.what, token.what].join(', ');
}

/** @returns empty if the sender has access */
export function expectedRefusals({ session, fromElsewhere, method }: ConsoleRoute, { page, cookie, token }: Sender): End[] {
  const changes = method !== 'GET' && method !== 'HEAD';
  return [
    ...(page.right || fromElsewhere ? [] : [forbidden]),
    ...(session && !cookie.right ? [signedOut] : []),
    // A token is worthless without a valid session.
    ...(session && changes && !(token.right && cookie.right) ? [forbidden] : []),
  ];
}

/** Plain numbers, so that they can be reported and shrunk. */
export type SenderChoice = Record<keyof Sender, number>;

export const anySender: fc.Arbitrary<SenderChoice> = fc.oneof(
  fc.record({ page: fc.nat(999), cookie: fc.constant(0), token: fc.constant(0) }),
  fc.record({ page: fc.constant(0), cookie: fc.nat(999), token: fc.constant(0) }),
  fc.record({ page: fc.constant(1), cookie: fc.constant(0), token: fc.nat(999) }),
  fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.nat(999) }),
);

export const allowedSender: fc.Arbitrary<SenderChoice> = fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.constant(0) });

export function senderOf(choice: SenderChoice, credentials: SenderCredentials, onlyRight: boolean): Sender {
  const pick = (all: SenderHeader[], at: number): SenderHeader => {
    const from = onlyRight ? all.filter(({ right }) => right) : all;
    return from[at % from.length]!;
  };
  return {
    page: pick(pages(credentials.endpoint), choice.page),
    cookie: pick(cookies(credentials), choice.cookie),
    token: pick(tokens(credentials), choice.token),
  };
}
