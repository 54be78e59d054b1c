/** Name resolution for webhooks: refuses addresses of this machine and of private networks. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@perch/schema';

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

/**
 * Returns a lookup function for sockets that yields only public addresses. The socket connects to what it yields and resolves nothing again, so a
 * name that changes its address afterwards has no effect.
 * @param resolve the system's resolver, which also reads the hosts file
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
