/** Refuses connections to this machine and to private networks, for requests to URLs that users chose. */
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@perch/schema';
import { dnsResolver, type ResolveAll } from './dns-resolver.js';

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
