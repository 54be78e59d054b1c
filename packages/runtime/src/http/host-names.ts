/** Host names in Host and Origin headers, for checks against DNS rebinding: an attacker's page has a name, which resolves to this service. */
import { isIP } from 'node:net';

/** Returns the host name of `http://name:port` in lower case, without a dot at its end; IPv6 in brackets. Null: there is none. */
export function hostnameOf(url: string): string | null {
  return (URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '') || null;
}

/** Returns whether it is an IP address: no page of an attacker has one that is not the attacker's own. */
export function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
