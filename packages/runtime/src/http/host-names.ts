/** Host names in Host and Origin headers, for checks against DNS rebinding: an attacker's page has a name, which resolves to this service. */
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@perch/schema';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

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

/** Resolves the names in URLs that users chose, with DNS queries.
 * `dns.lookup` occupies a thread of libuv's pool until the system's resolver gives up. Two such threads exist: a caller whose name server does not
 * answer would hold up the look-ups of everybody else, those of Redis included. The hosts file and search domains are not read. */
export type ResolveAll = (host: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void;

interface DnsResolverOptions {
  servers?: readonly string[];
  /** Time-out of the first query to a server; the second waits longer. */
  timeoutMs?: number;
}

export function dnsResolver({ servers = [], timeoutMs = 2000 }: DnsResolverOptions = {}): ResolveAll {
  return callbackify(async (host: string): Promise<LookupAddress[]> => {
    // RFC 6761: name servers are not asked for it.
    if (/^(?:.*\.)?localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
    // A resolver reads the system's configuration once, when it is made.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [...entriesOf(four, 4), ...entriesOf(six, 6)];
    if (addresses.length === 0) throw failureOf(four, six);
    return addresses;
  });
}

function entriesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family }));
}

/** ENODATA says only that the name has no addresses of one family. */
function failureOf(...results: PromiseSettledResult<string[]>[]): Error {
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : []));
  return errors.find(({ code }) => code !== 'ENODATA') ?? errors[0] ?? new Error('The name has no addresses.');
}
