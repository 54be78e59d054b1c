import { createHash } from 'node:crypto';
import type { ConsoleEndpoint } from '../console-endpoint.js';

export interface SenderHeader {
  what: string;
  lines: readonly string[];
  right: boolean;
}

export interface SenderCredentials {
  endpoint: ConsoleEndpoint;
  secret: string;
  otherSecret: string;
  endedSecret: string;
  apiKey: string;
}

export function tokenOf(secret: string): string {
  return createHash('sha256').update(`csrf:${secret}`).digest('base64url');
}

const right = (what: string, ...lines: string[]): SenderHeader => ({ what, lines, right: true });
const fault = (what: string, ...lines: string[]): SenderHeader => ({ what, lines, right: false });

export function pages({ host, origin, port }: ConsoleEndpoint): SenderHeader[] {
  const at = `host: ${host}`;
  return [
    right('no browser', at),
    right('our page', at, `origin: ${origin}`, 'sec-fetch-site: same-origin', 'sec-fetch-mode: cors'),
    right('our page, by its origin', at, `origin: ${origin}`),
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
      `${origin}.evil.example`,
      `http://evil.example:${port}`,
      'http://127.0.0.1:1',
      'http://localhost:1',
      'http://127.0.0.1',
      `${origin}, https://evil.example`,
      `https://evil.example, ${origin}`,
      '*',
      'http://',
      'file://',
      'chrome-extension://abcdefgh',
      // The console by http is a different origin.
      ...(origin.startsWith('https:') ? [origin.replace('https:', 'http:'), `${origin}:1`] : []),
      '__proto__',
      '\u00ff',
      'x'.repeat(2500),
    ].map((from) => fault(`origin ${from.slice(0, 40)}`, at, `origin: ${from}`)),
    fault('two origins', at, `origin: ${origin}`, 'origin: https://evil.example'),
    fault('a site that contradicts its origin', at, `origin: ${origin}`, 'sec-fetch-site: cross-site'),
    ...['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'metadata', '@', '[::', '', 'a,b', '<script>', 'x'.repeat(300)].map(
      (name) => fault(`host ${name.slice(0, 30)}`, `host: ${name}`),
    ),
    fault('a name that was rebound', `host: evil.example:${port}`, `origin: http://evil.example:${port}`, 'sec-fetch-site: same-origin'),
  ];
}

export function cookies({ endpoint: { cookie: name }, secret, otherSecret, endedSecret, apiKey }: SenderCredentials): SenderHeader[] {
  const own = `${name}=${secret}`;
  const others = ['__Host-perch', 'perch_session', 'PERCH_SESSION', '__Secure-perch'].filter((other) => other !== name);
  return [
    right('the session', `cookie: ${own}`),
    right('the session among others', `cookie: a=b; ${own}; __proto__=c; d`),
    right('the session behind empty ones', `cookie: ;; ${own};`),
    right('the session and another header of cookies', 'cookie: a=b', `cookie: ${own}`),
    fault('no cookie'),
    fault('an empty cookie', `cookie: ${name}=`),
    fault('a session that has ended', `cookie: ${name}=${endedSecret}`),
    fault('two sessions', `cookie: ${own}; ${name}=${otherSecret}`),
    fault('the session twice', `cookie: ${own}; ${own}`),
    fault('two sessions in two headers', `cookie: ${own}`, `cookie: ${name}=${otherSecret}`),
    fault('an API key for a session', `cookie: ${name}=${apiKey}`),
    ...others.map((other) => fault(`the session as ${other}`, `cookie: ${other}=${secret}`)),
    fault('the session as an API key', `authorization: Bearer ${secret}`),
    fault('an API key', `authorization: Bearer ${apiKey}`),
    fault('an API key beside a session that has ended', `cookie: ${name}=${endedSecret}`, `authorization: Bearer ${apiKey}`),
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
    ].map((value) => fault(`a cookie like ${value.slice(0, 8)}`, `cookie: ${name}=${value}`)),
    fault('400 cookies', `cookie: ${Array.from({ length: 400 }, (_, i) => `c${i}=${i}`).join('; ')}`),
  ];
}

export function tokens({ secret, otherSecret }: SenderCredentials): SenderHeader[] {
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
