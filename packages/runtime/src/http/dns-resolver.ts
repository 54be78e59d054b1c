/**
 * Resolves the names in URLs that users chose, with DNS queries.
 *
 * `dns.lookup` occupies a thread of libuv's pool until the system's resolver gives up. Two such threads exist: a caller whose name server does not
 * answer would hold up the look-ups of everybody else, those of Redis included. The hosts file and search domains are not read.
 */
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

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
