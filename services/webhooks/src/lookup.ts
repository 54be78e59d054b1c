/** Names as webhooks may use them: what leads nowhere but to the machine or network we run in leads nowhere. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@perch/schema';

/** The address is not one of the internet, and the operator does not allow others. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor(host: string) {
    super(`${host} leads to an address that is not reached from the internet.`);
  }
}

/** @throws {RefusedAddress} for an IP address that is refused; a socket asks no lookup for those */
export function refuseLiteral(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new RefusedAddress(host);
}

/**
 * A lookup for sockets that answers only public addresses. The socket connects to what it answers and to nothing else, so that a name that
 * leads elsewhere a moment later changes nothing.
 * @param resolve the system's, which reads its hosts file too
 */
export function publicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, []);
      const open = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = open;
      if (first === undefined) return callback(new RefusedAddress(host), []);
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}
