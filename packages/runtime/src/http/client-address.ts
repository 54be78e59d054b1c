/** X-Forwarded-For is evaluated only as far as PERCH_TRUST_PROXY allows; everything before those entries can be written by the client. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { defineSettings } from '../config.js';
import type { Logger } from '../log.js';

export const proxySettings = defineSettings({
  trustProxy: {
    env: 'PERCH_TRUST_PROXY',
    type: 'int',
    min: 0,
    max: 16,
    default: 0,
    description:
      'Number of trusted proxies in front of the service. The client address used by limits and logs is that many entries from the end of X-Forwarded-For. 0: the address of the connection, and the header is ignored.',
  },
});

export type AddressedRequest = Pick<IncomingMessage, 'headers'> & { socket: Pick<IncomingMessage['socket'], 'remoteAddress'> };

/** IPv6 prefix that a provider assigns to one customer; a client can use every address within it. */
const networkBits = 64;
const siteBits = { ipv4: 24, ipv6: 48 };

/**
 * Returns the address of the client in canonical form (IPv6 compressed as in RFC 5952, without zone; IPv4-mapped IPv6 as IPv4).
 * If X-Forwarded-For has fewer entries than there are trusted proxies, or the entry is not an address, returns the address of the connection,
 * which nobody can forge. Returns '' for a socket that is already closed.
 * @param trustedProxies number of proxies in front of the service, each of which appended one entry to X-Forwarded-For
 */
export function clientAddress({ headers, socket }: AddressedRequest, trustedProxies: number): string {
  const forwarded = trustedProxies > 0 ? String(headers['x-forwarded-for'] ?? '').split(',') : [];
  const entry = forwarded.at(-trustedProxies);
  const address = (entry === undefined ? null : parse(withoutPort(entry.trim()))) ?? parse(socket.remoteAddress ?? '');
  return address === null ? '' : address.toString();
}

/** Returns the network to count a client by, in its only spelling: an IPv4 address, an IPv6 /64; other text is returned unchanged. */
export function clientNetwork(address: string): string {
  const parsed = parse(address);
  if (parsed === null) return address;
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${networkBits}`).toString()}/${networkBits}`;
}

/**
 * Returns the site of a network, for limits that one customer with many networks must not exhaust: /24 for IPv4, /48 for IPv6, which is what a
 * provider assigns at most to an ordinary site. Text that is not a network is returned unchanged.
 */
export function clientSite(network: string): string {
  const parsed = parse(network.split('/', 1)[0]!);
  if (parsed === null) return network;
  const isIPv4 = parsed instanceof ipaddr.IPv4;
  const bits = isIPv4 ? siteBits.ipv4 : siteBits.ipv6;
  return `${(isIPv4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(`${parsed.toString()}/${bits}`).toString()}/${bits}`;
}

export class ClientAddresses {
  readonly #trustedProxies: number;
  readonly #log: Pick<Logger, 'warn'>;
  #mayWarn: boolean;

  constructor(trustedProxies: number, log: Pick<Logger, 'warn'>) {
    this.#trustedProxies = trustedProxies;
    this.#log = log;
    this.#mayWarn = trustedProxies === 0;
  }

  addressOf(request: AddressedRequest): string {
    return clientAddress(request, this.#trustedProxies);
  }

  networkOf(request: AddressedRequest): string {
    return clientNetwork(this.addressOf(request));
  }

  /** Warns once per process when a request carries X-Forwarded-For and no proxy is trusted. Call it for every request. */
  noteHeader({ headers }: Pick<IncomingMessage, 'headers'>): void {
    if (!this.#mayWarn || headers['x-forwarded-for'] === undefined) return;
    this.#mayWarn = false;
    this.#log.warn(
      'A request carries X-Forwarded-For, but PERCH_TRUST_PROXY is 0: all clients behind one proxy share one limit. If a proxy of yours is in front of this service, set PERCH_TRUST_PROXY to the number of proxies; otherwise a client sent the header, and it is ignored.',
    );
  }
}

/** Some proxies append the client's port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const address = text.split('%', 1)[0]!;
  // ipaddr.js also takes hexadecimal, octal and shortened IPv4, which no socket and no proxy writes.
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return null;
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
