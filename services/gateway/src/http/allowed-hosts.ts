/**
 * Who may address /mcp, and from which pages: a name that an attacker lets point to this machine is not ours (DNS rebinding).
 * Ours are loopback, the host we listen on, and the one of PERCH_PUBLIC_URL; Host may be any address that is no name, which cannot be rebound.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export class OwnHosts {
  readonly #names: ReadonlySet<string>;

  /** @param publicUrl the base address programs use, where it is set; @param host what we listen on */
  constructor(publicUrl: string | null, host: string) {
    this.#names = new Set(['localhost', host.toLowerCase(), ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])]);
  }

  /** What is wrong with a request's Host and Origin; null where nothing is. */
  problem({ host, origin }: IncomingHttpHeaders): string | null {
    const addressed = hostnameOf(`http://${host}`);
    if (host === undefined || addressed === null || !(this.#isOurs(addressed) || isIP(unbracketed(addressed)) !== 0)) {
      return 'The Host header does not name this service. Behind a name of its own it is told that name as PERCH_PUBLIC_URL.';
    }
    if (origin === undefined) return null;
    const page = hostnameOf(origin);
    return page !== null && (page === addressed || this.#isOurs(page)) ? null : 'Pages of this origin may not call the service.';
  }

  #isOurs(hostname: string): boolean {
    return (
      this.#names.has(hostname) || hostname.endsWith('.localhost') || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
    );
  }
}

/** @returns null for what is no address, such as the origin `null` of a sandboxed page */
function hostnameOf(url: string): string | null {
  try {
    return new URL(url).hostname || null;
  } catch {
    return null;
  }
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
