/** Host names in Host and Origin headers, for checks against DNS rebinding: an attacker's page has a name, which resolves to this service. */
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@perch/schema';
import { dnsResolver, type ResolveAll } from './dns-resolver.js';

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

/** Refuses connections to this machine and to private networks, for requests to URLs that users chose. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor(host: string) {
    super(`${host} leads to an address that is not reached from the internet.`);
  }
}

/** @throws {RefusedAddress} for an IP address that is refused; sockets do not call a lookup function for those */
export function refuseLiteral(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new RefusedAddress(host);
}

/** Yields only public addresses. A socket connects to what it yields and resolves nothing again, so a later change of the name has no effect. */
export function publicLookup(resolve: ResolveAll = dnsResolver()): LookupFunction {
  return (host, options, callback) => {
    resolve(host, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const open = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (first === undefined) return callback(new RefusedAddress(host), []);
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

/** Describes a failed connection to the user who chose the URL, without revealing anything about this network that the URL does not. */
export function connectionFailure(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  const inside = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  if (inside instanceof RefusedAddress) return inside.message;
  return code === undefined ? 'The connection failed.' : `The connection failed: ${code}.`;
}
