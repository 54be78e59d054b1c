/**
 * What a request says of who sends it: the page it comes from (Origin, Sec-Fetch-Site, Host), the session's cookie, the page's token.
 * The gate is written a second time here: which of them may not come in, and how they are told.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { forbidden, signedOut, type End } from './ends.js';
import type { ConsoleRoute } from './routes.js';

/** One thing said, in whole header lines, and whether it is as it must be. */
export interface Said {
  what: string;
  lines: readonly string[];
  right: boolean;
}

export interface Guise {
  page: Said;
  cookie: Said;
  token: Said;
}

/** What the guises are made of. */
export interface Papers {
  /** `127.0.0.1:8080` */
  host: string;
  /** Of the session: the cookie's. */
  secret: string;
  /** A session of somebody else, and one that has ended. */
  otherSecret: string;
  endedSecret: string;
  apiKey: string;
}

export const sessionCookie = 'perch_session';

/** As the interface of the page has it. */
export function tokenOf(secret: string): string {
  return createHash('sha256').update(`csrf:${secret}`).digest('base64url');
}

const right = (what: string, ...lines: string[]): Said => ({ what, lines, right: true });
const fault = (what: string, ...lines: string[]): Said => ({ what, lines, right: false });

export function pages(host: string): Said[] {
  const at = `host: ${host}`;
  const port = host.split(':').at(-1)!;
  return [
    right('no browser', at),
    right('our page', at, `origin: http://${host}`, 'sec-fetch-site: same-origin', 'sec-fetch-mode: cors'),
    right('our page, by its origin', at, `origin: http://${host}`),
    right('typed by a person', at, 'sec-fetch-site: none'),
    right('our page as localhost', `host: localhost:${port}`, `origin: http://localhost:${port}`),
    right('our page by an address', 'host: 192.168.7.9:8080', 'origin: http://192.168.7.9:8080'),
    ...['cross-site', 'same-site', 'Same-Origin', 'same-origin, cross-site', '', 'null', '\u00ff', 'x'.repeat(2500)].map((site) =>
      fault(`sec-fetch-site ${site.slice(0, 20)}`, at, `sec-fetch-site: ${site}`),
    ),
    ...[
      'null',
      '',
      'https://evil.example',
      `http://${host}.evil.example`,
      `http://evil.example:${port}`,
      'http://127.0.0.1:1',
      'http://localhost:1',
      'http://127.0.0.1',
      `http://${host}, https://evil.example`,
      `https://evil.example, http://${host}`,
      '*',
      'http://',
      'file://',
      'chrome-extension://abcdefgh',
      '__proto__',
      '\u00ff',
      'x'.repeat(2500),
    ].map((origin) => fault(`origin ${origin.slice(0, 40)}`, at, `origin: ${origin}`)),
    fault('two origins', at, `origin: http://${host}`, 'origin: https://evil.example'),
    fault('a site that contradicts its origin', at, `origin: http://${host}`, 'sec-fetch-site: cross-site'),
    ...['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'metadata', '@', '[::', '', 'a,b', '<script>', 'x'.repeat(300)].map(
      (name) => fault(`host ${name.slice(0, 30)}`, `host: ${name}`),
    ),
    fault('a name that was rebound', `host: evil.example:${port}`, `origin: http://evil.example:${port}`, 'sec-fetch-site: same-origin'),
  ];
}

export function cookies({ secret, otherSecret, endedSecret, apiKey }: Papers): Said[] {
  const own = `${sessionCookie}=${secret}`;
  return [
    right('the session', `cookie: ${own}`),
    right('the session among others', `cookie: a=b; ${own}; __proto__=c; d`),
    right('the session behind empty ones', `cookie: ;; ${own};`),
    right('the session and another header of cookies', 'cookie: a=b', `cookie: ${own}`),
    fault('no cookie'),
    fault('an empty cookie', `cookie: ${sessionCookie}=`),
    fault('a session that has ended', `cookie: ${sessionCookie}=${endedSecret}`),
    fault('two sessions', `cookie: ${own}; ${sessionCookie}=${otherSecret}`),
    fault('the session twice', `cookie: ${own}; ${own}`),
    fault('two sessions in two headers', `cookie: ${own}`, `cookie: ${sessionCookie}=${otherSecret}`),
    fault('an API key for a session', `cookie: ${sessionCookie}=${apiKey}`),
    fault('the session under the name for https', `cookie: __Host-perch=${secret}`),
    fault('the session under another name', `cookie: PERCH_SESSION=${secret}`),
    fault('the session as an API key', `authorization: Bearer ${secret}`),
    fault('an API key', `authorization: Bearer ${apiKey}`),
    fault('an API key beside a session that has ended', `cookie: ${sessionCookie}=${endedSecret}`, `authorization: Bearer ${apiKey}`),
    ...[
      secret.slice(0, -1),
      `${secret}A`,
      secret.toUpperCase(),
      `"${secret}"`,
      `${secret} `.padEnd(60, 'x'),
      encodeURIComponent(`${secret}%`),
      `ps_${'A'.repeat(43)}`,
      '__proto__',
      '{account}',
      '*',
      '\u00ff'.repeat(46),
      'x'.repeat(3000),
    ].map((value) => fault(`a cookie like ${value.slice(0, 8)}`, `cookie: ${sessionCookie}=${value}`)),
    fault('400 cookies', `cookie: ${Array.from({ length: 400 }, (_, i) => `c${i}=${i}`).join('; ')}`),
  ];
}

export function tokens({ secret, otherSecret }: Papers): Said[] {
  const own = tokenOf(secret);
  const line = (value: string): string => `x-csrf-token: ${value}`;
  return [
    right('its token', line(own)),
    fault('no token'),
    fault('an empty token', line('')),
    fault("another session's token", line(tokenOf(otherSecret))),
    fault('the secret as token', line(secret)),
    fault('the token twice', line(own), line(own)),
    ...[
      `${own}x`,
      own.slice(1),
      own.toUpperCase().replace(/.$/, '.'),
      `"${own}"`,
      '\u00ff'.repeat(43),
      '0'.repeat(43),
      'null',
      '__proto__',
      'x'.repeat(3000),
    ].map((value) => fault(`a token like ${value.slice(0, 6)}`, line(value))),
  ];
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
  return { page: pick(pages(papers.host), choice.page), cookie: pick(cookies(papers), choice.cookie), token: pick(tokens(papers), choice.token) };
}
