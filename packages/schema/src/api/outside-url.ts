/** Checks URLs that clients chose and services connect to. The addresses that a name resolves to are checked at each connection. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 4291: addresses outside are not allocated. `::7f00:1` is a deprecated form of 127.0.0.1. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether the address is neither private, loopback, link-local, shared, multicast nor reserved, nor one of those embedded in IPv6. */
export function isPublicAddress(address: string): boolean {
  try {
    const ip = ipaddr.process(address);
    return ip.range() === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(globalUnicast));
  } catch {
    return false;
  }
}

/** Services on other ports of a public host are not meant to be reached by Perch. */
const allowedPorts = ['', '8443'];

const privateName = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$|^[^.]+\.?$/i;

/** Requires https, no user name, port 443 or 8443 and a public host, unless `allowPrivate`; drops the fragment. `problem` continues a sentence. */
export function outsideUrl(text: string, allowPrivate: boolean): { url: URL } | { problem: string } {
  if (!URL.canParse(text)) return { problem: 'is not a URL' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return { problem: 'must begin with https://' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain a user name or password' };
  url.hash = '';
  if (allowPrivate) return { url };
  if (!allowedPorts.includes(url.port)) return { problem: `has port ${url.port}; only 443 and 8443 are allowed` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 ? !isPublicAddress(host) : privateName.test(host)) return { problem: 'is not reachable from the internet' };
  return { url };
}
