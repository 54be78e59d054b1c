/**
 * The sender of a request: everything the request says about it. A second implementation of the console's access rules: which senders are refused,
 * and with which answer.
 */
import fc from 'fast-check';
import { forbidden, signedOut, type End } from './ends.js';
import { cookies, pages, tokens, type Papers, type Said } from './papers.js';
import type { ConsoleRoute } from './routes.js';

export interface Guise {
  page: Said;
  cookie: Said;
  token: Said;
}

export function linesOf({ page, cookie, token }: Guise): string[] {
  return [...page.lines, ...cookie.lines, ...token.lines];
}

export function guiseName({ page, cookie, token }: Guise): string {
  return [page.what, cookie.what, token.what].join(', ');
}

/** @returns the expected refusals; empty if the sender has access */
export function turnedAway({ session, fromElsewhere, method }: ConsoleRoute, { page, cookie, token }: Guise): End[] {
  const changes = method !== 'GET' && method !== 'HEAD';
  return [
    ...(page.right || fromElsewhere ? [] : [forbidden]),
    ...(session && !cookie.right ? [signedOut] : []),
    // A token is worthless without a valid session.
    ...(session && changes && !(token.right && cookie.right) ? [forbidden] : []),
  ];
}

/** Indices of one choice each: plain numbers, so that they can be reported and shrunk. */
export type GuiseChoice = Record<keyof Guise, number>;

/** Most have one fault, some several, some none. */
export const anyGuise: fc.Arbitrary<GuiseChoice> = fc.oneof(
  fc.record({ page: fc.nat(999), cookie: fc.constant(0), token: fc.constant(0) }),
  fc.record({ page: fc.constant(0), cookie: fc.nat(999), token: fc.constant(0) }),
  fc.record({ page: fc.constant(1), cookie: fc.constant(0), token: fc.nat(999) }),
  fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.nat(999) }),
);

/** Chooses only allowed senders. */
export const rightGuise: fc.Arbitrary<GuiseChoice> = fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.constant(0) });

/** @param onlyRight use only valid choices */
export function guiseOf(choice: GuiseChoice, papers: Papers, onlyRight: boolean): Guise {
  const pick = (all: Said[], at: number): Said => {
    const from = onlyRight ? all.filter((said) => said.right) : all;
    return from[at % from.length]!;
  };
  return { page: pick(pages(papers.side), choice.page), cookie: pick(cookies(papers), choice.cookie), token: pick(tokens(papers), choice.token) };
}
