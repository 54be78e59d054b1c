/** Who asks, in all that a request says of that. The gate is written a second time here: which of them may not come in, and how they are told. */
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

/** @returns how it is turned away; nothing where it may come in */
export function turnedAway({ session, fromElsewhere, method }: ConsoleRoute, { page, cookie, token }: Guise): End[] {
  const changes = method !== 'GET' && method !== 'HEAD';
  return [
    ...(page.right || fromElsewhere ? [] : [forbidden]),
    ...(session && !cookie.right ? [signedOut] : []),
    // The token of a session that is none is none of it.
    ...(session && changes && !(token.right && cookie.right) ? [forbidden] : []),
  ];
}

/** Of each kind one, by its place among all: pure, so that it can be told and made smaller. */
export type GuiseChoice = Record<keyof Guise, number>;

/** Most have one fault, some several, some none. */
export const anyGuise: fc.Arbitrary<GuiseChoice> = fc.oneof(
  fc.record({ page: fc.nat(999), cookie: fc.constant(0), token: fc.constant(0) }),
  fc.record({ page: fc.constant(0), cookie: fc.nat(999), token: fc.constant(0) }),
  fc.record({ page: fc.constant(1), cookie: fc.constant(0), token: fc.nat(999) }),
  fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.nat(999) }),
);

/** As one that may come in. */
export const rightGuise: fc.Arbitrary<GuiseChoice> = fc.record({ page: fc.nat(999), cookie: fc.nat(999), token: fc.constant(0) });

/** @param onlyRight of the kinds only what is as it must be */
export function guiseOf(choice: GuiseChoice, papers: Papers, onlyRight: boolean): Guise {
  const pick = (all: Said[], at: number): Said => {
    const from = onlyRight ? all.filter((said) => said.right) : all;
    return from[at % from.length]!;
  };
  return { page: pick(pages(papers.side), choice.page), cookie: pick(cookies(papers), choice.cookie), token: pick(tokens(papers), choice.token) };
}
