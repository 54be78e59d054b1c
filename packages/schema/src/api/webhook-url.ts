/** Which addresses a webhook may have. What a name leads to is looked at again at each connection, by whoever makes it. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { limits } from './limits.js';

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

/** Ports a webhook may have: those of HTTPS. A service on any other port of a public host was not made to receive webhooks. */
const allowedPorts = ['', '8443'];

/**
 * Normalises the URL of a new webhook: lower-case host in ASCII, default port left out, `.` and `..` resolved, no fragment.
 * @param allowPrivate permits http, any port and addresses that are not reached from the internet
 */
export function normalizedWebhookUrl(text: string, allowPrivate: boolean): { url: string } | { problem: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: 'is not a URL; send one such as https://example.com/robots' };
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return { problem: 'must begin with https://' };
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not contain a user name or password; receivers authenticate messages by their signature' };
  }
  url.hash = '';
  if (url.href.length > limits.webhooks.urlCharsMax) return { problem: `is longer than ${limits.webhooks.urlCharsMax} characters once normalised` };
  if (allowPrivate) return { url: url.href };
  if (!allowedPorts.includes(url.port)) return { problem: `has port ${url.port}; only 443 and 8443 are allowed` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 ? !isPublicAddress(host) : privateName.test(host))
    return { problem: 'leads to an address that is not reached from the internet' };
  return { url: url.href };
}

const privateName = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$|^[^.]+\.?$/i;
