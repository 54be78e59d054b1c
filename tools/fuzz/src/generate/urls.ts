/** Webhook URLs. Accepted ones end in `.invalid`, which never resolves (RFC 2606), or resolve to this machine: nothing sent to them leaves it. */
import type { Probe } from './probe.js';

export type UrlVerdict = 'taken' | 'refused' | 'either';

const loopback = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0X7F.0.0.0X1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc%61lhost',
];

const inside = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[::ffff:10.0.0.1]',
  '[100::1]',
  'intranet',
  'printer.local',
  'PRINTER.LOCAL.',
  'metadata.google.internal',
  'router.home.arpa',
];

/** The URL is rejected for its host alone. */
const allowedPort = 8443;

/** Rejected if private addresses are not allowed. @param port of this machine; not 443 or 8443 */
function refused(port: number): string[] {
  return [
    ...loopback.map((host) => `https://${host}:${allowedPort}/hook`),
    ...inside.map((host) => `https://${host}/latest/meta-data`),
    `http://127.0.0.1:${allowedPort}/`,
    `https://hook.invalid@127.0.0.1:${allowedPort}/`,
    `https://127.0.0.1:${allowedPort}#@hook.invalid/`,
    `https://127.0.0.1:${allowedPort}\\@hook.invalid/`,
    `https:\\\\127.0.0.1:${allowedPort}\\`,
    `https:127.0.0.1:${allowedPort}/`,
    `https:///127.0.0.1:${allowedPort}/`,
    `https://127.0.0.1\t:${allowedPort}/`,
    ` \n https://127.0.0.1:${allowedPort}/`,
    `https://127.0.0\u00ad.1:${allowedPort}/`,
    'https://user@hook.invalid/',
    'https://user:password@hook.invalid/',
    'https://:password@hook.invalid/',
    'https://__proto__:x@hook.invalid/',
    'http://hook.invalid/',
    'ftp://hook.invalid/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'javascript:alert(1)',
    'data:text/plain,x',
    'wss://hook.invalid/',
    'redis://127.0.0.1:6379',
    'hook.invalid',
    '//hook.invalid/',
    '/hook',
    'https',
    'https:',
    'https://',
    'https://:8443/',
    // Only ports 443 and 8443 are allowed, whatever the name resolves to.
    `https://127.0.0.1.hook.invalid:${port}/`,
    `https://localhost.localdomain:${port}/`,
    'https://hook.invalid:0/',
    'https://hook.invalid:80/',
    'https://hook.invalid:65535/',
    'https://hook.invalid:65536/',
    'https://hook.invalid:-1/',
    'https://hook.invalid:443:443/',
    'https://hook invalid/',
    'https://hook\u0000.invalid/',
    'https://%00/',
    'https://%zz.invalid/',
    'https://xn--/',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://\ud800.invalid/',
    `https://hook.invalid/${'x'.repeat(2001 - 21)}`,
    `https://hook.invalid/${'x'.repeat(5000)}`,
    `https://${'a'.repeat(5000)}/`,
  ];
}

const taken = [
  'https://hook.invalid/',
  'HTTPS://HOOK.INVALID:8443/a/../b?c=d#e',
  'https://bücher.invalid/',
  'https://xn--bcher-kva.invalid/',
  'https://hook.invalid/💥?q=\ud83d\udca5',
  'https://hook.invalid/%00%ff%zz',
  "https://hook.invalid/'; DROP TABLE robots; --",
  `https://hook.invalid/${'x'.repeat(2000 - 21)}`,
  'https://127.0.0.1.hook.invalid:8443/',
  'https://localhost.localdomain:8443/',
];

const either = [
  'https://@hook.invalid/',
  'https:hook.invalid/',
  ' https://hook.invalid/ ',
  'https://hook.invalid./',
  `https://${'a'.repeat(60)}.invalid/`,
];

export interface Urls {
  probes: readonly Probe[];
  verdictOf: (url: string) => UrlVerdict;
}

/** @param port as in `refused` */
export function hostileUrls(port: number): Urls {
  const known = new Map<string, UrlVerdict>([
    ...refused(port).map((url) => [url, 'refused'] as const),
    ...taken.map((url) => [url, 'taken'] as const),
    ...either.map((url) => [url, 'either'] as const),
  ]);
  return {
    probes: [...known.keys()].map((value) => ({ what: `the address ${JSON.stringify(value.slice(0, 60))}`, value })),
    // Only the scheme of other URLs is certain.
    verdictOf: (url) => known.get(url) ?? (beginsWithHttps(url) ? 'either' : 'refused'),
  };
}

/** URL parsers ignore leading control characters and spaces. */
function beginsWithHttps(url: string): boolean {
  let at = 0;
  while (at < url.length && url.charCodeAt(at) <= 0x20) at += 1;
  return /^https:/i.test(url.slice(at));
}
