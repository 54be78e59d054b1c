/** Checks the URLs of webhooks. The webhook sender checks the addresses a name resolves to at each connection. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { limits } from './limits.js';

/** RFC 4291: addresses outside are not allocated. `::7f00:1` is a deprecated form of 127.0.0.1. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether an IP address is public: not private, loopback, link-local, shared, multicast or reserved, nor one of those embedded in IPv6. */
export function isPublicAddress(address: string): boolean {
  try {
    const ip = ipaddr.process(address);
    return ip.range() === 'unicast' && (ip instanceof ipaddr.IPv4 || ip.match(globalUnicast));
  } catch {
    return false;
  }
}

/** Allowed ports: those of HTTPS. Services on other ports of a public host are not meant to receive webhooks. */
const allowedPorts = ['', '8443'];

/**
 * Normalises the URL of a new webhook: lower-case ASCII host, no default port, `.` and `..` resolved, no fragment.
 * @param allowPrivate permits http, any port, and addresses not reachable from the internet
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
  if (url.href.length > limits.webhooks.urlCharsMax)
    return { problem: `is longer than ${limits.webhooks.urlCharsMax} characters after normalisation` };
  if (allowPrivate) return { url: url.href };
  if (!allowedPorts.includes(url.port)) return { problem: `has port ${url.port}; only 443 and 8443 are allowed` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 ? !isPublicAddress(host) : privateName.test(host)) return { problem: 'is not reachable from the internet' };
  return { url: url.href };
}

const privateName = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa)\.?$|^[^.]+\.?$/i;
