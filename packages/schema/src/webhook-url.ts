/** Which addresses a webhook may have. What a name leads to is looked at again at each connection, by whoever makes it. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** RFC 4291: what lies outside is not given out; `::7f00:1` is 127.0.0.1 in a form of old. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an IP address is one of the internet: not private, loopback, link-local, shared, multicast, reserved, or one of those in IPv6 clothes. */
export function isPublicAddress(address: string): boolean {
  try {
    const ip = ipaddr.process(address);
    return ip.range() === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(globalUnicast));
  } catch {
    return false;
  }
}

/** What is wrong with the address of a webhook, or null. @param allowPrivate http and addresses that are not of the internet pass */
export function webhookUrlProblem(text: string, allowPrivate: boolean): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'is no address; send one such as https://example.com/robots';
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must hold no user name and no password; the signature tells who sends';
  if (allowPrivate) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 ? !isPublicAddress(host) : privateName.test(host)) return 'leads to an address that is not reached from the internet';
  return null;
}

const privateName = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$|^[^.]+\.?$/i;
