import fc from 'fast-check';
import type { Draft } from '../requests/drafts.js';

const own = [
  '/',
  '/sign-in',
  '/sign-up',
  '/pair',
  '/robots',
  '/robots/r-0123456789',
  '/robots/r-0123456789/settings',
  '/keys',
  '/authorize',
  '/webhooks',
  '/activity',
  '/account',
  '/account/deleted',
  '/virtual/r-0123456789',
  '/docs',
  '/llms.txt',
  '/openapi.json',
];
const ups = [
  '..',
  '.',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '%252e%252e',
  '..%2f',
  '..%5c',
  '..\\',
  '%c0%ae%c0%ae',
  '%uff0e%uff0e',
  '..;',
  '...',
  '....//',
  '..%00',
  '\u2025',
  '%e2%80%a5',
];
const wanted = [
  'package.json',
  'tsconfig.json',
  'src/main.tsx',
  'vite.config.ts',
  '../package.json',
  '../../package.json',
  '../../../package.json',
  '../../services/gateway/package.json',
  '../../../../../../etc/passwd',
  'etc/passwd',
  '.git/config',
  '.env',
  'index.html.br',
  'index.html.gz',
  'index.html%00.png',
  'index.html/',
  'index.html/.',
  'INDEX.HTML',
  'assets',
  'assets/',
  'assets/.',
  'assets/index.js',
  'assets/index.js.map',
  'tsconfig.tsbuildinfo',
  'proc/self/environ',
  'con',
  'NUL',
  'x'.repeat(5000),
  `${'a/'.repeat(900)}x.js`,
];
const methods = ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'];
const headerSets: readonly (readonly string[])[] = [
  [],
  [],
  ['accept-encoding: br, gzip'],
  ['accept-encoding: gzip;q=0, br;q=0, *;q=0'],
  ['accept-encoding: gzip;q=0.000, identity;q=0'],
  [`accept-encoding: ${'gzip,'.repeat(600)}`],
  ['if-none-match: *'],
  ['if-none-match: "x", W/"y"'],
  [`if-none-match: ${'"x",'.repeat(600)}`],
  ['if-modified-since: tomorrow'],
  ['range: bytes=0-0'],
  ['range: bytes=-1,0-0,5-'],
  ['host: evil.example'],
  ['host: '],
  ['host: "><script>'],
  ['host: a\u00ffb'],
  ['x-forwarded-host: evil.example', 'x-forwarded-proto: https'],
  ['accept: application/json'],
  ['cookie: perch_session=ps_none'],
  ['origin: https://evil.example', 'sec-fetch-site: cross-site'],
];

export function pageShapes(files: readonly string[]): fc.Arbitrary<Draft> {
  const known = fc.constantFrom(...own, ...files.map((name) => `/${name}`));
  const up = fc.array(fc.constantFrom(...ups), { minLength: 1, maxLength: 6 }).map((all) => all.join('/'));
  const out = fc
    .tuple(fc.constantFrom('', '/assets', '/docs', '/robots', '/virtual', '/console', '/index.html'), up, fc.constantFrom(...wanted, ...files))
    .map(([before, between, name]) => `${before}/${between}/${name}`);
  const coded = known
    .chain((path) => fc.tuple(fc.constant(path), fc.nat(Math.max(0, path.length - 1))))
    .map(([path, at]) => `${path.slice(0, at)}%${path.charCodeAt(at).toString(16)}${path.slice(at + 1)}`);
  const bent = fc
    .tuple(
      known,
      fc.constantFrom(
        '/',
        '//',
        '/.',
        '/..',
        '%00',
        '%00.html',
        '.',
        '..',
        '%20',
        '%0d%0aset-cookie:a=b',
        '?x=1',
        '?../../etc/passwd',
        '#x',
        ';x',
        '\\',
        '~',
        '.map',
        '.br',
        '::$DATA',
      ),
    )
    .map((parts) => parts.join(''));
  const ahead = fc
    .tuple(
      fc.constantFrom('//', '/./', '///', '/\\', '/%2f', '//evil.example/', 'http://evil.example/', 'http://evil.example:80//', 'file:///', '*', ''),
      fc.constantFrom(...wanted, ...files),
    )
    .map((parts) => parts.join(''));
  const path = fc.oneof(
    known,
    out,
    coded,
    bent,
    ahead,
    fc.constantFrom(...wanted).map((name) => `/${name}`),
    fc.webPath(),
  );
  return fc.tuple(path, fc.constantFrom(...methods), fc.constantFrom(...headerSets)).map(([at, method, headers]): Draft => ({
    what: headers.map((line) => line.slice(0, 40)).join(', ') || 'alone',
    method,
    path: at === '' ? '/' : at,
    headers,
    body: null,
    ends: [],
  }));
}
