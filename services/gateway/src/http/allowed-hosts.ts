/** Against DNS rebinding: allows loopback names, the host listened on and that of PERCH_PUBLIC_URL; as Host also any IP address. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;

  constructor(publicUrl: string | null, host: string) {
    this.#names = new Set(['localhost', host.toLowerCase(), ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])]);
  }

  problem({ host, origin }: IncomingHttpHeaders): string | null {
    const hostname = hostnameOf(`http://${host}`);
    if (host === undefined || hostname === null || !(this.#isAllowed(hostname) || isIP(unbracketed(hostname)) !== 0)) {
      return 'The Host header does not name this service. If the service has a host name, set PERCH_PUBLIC_URL to its URL.';
    }
    if (origin === undefined) return null;
    const page = hostnameOf(origin);
    return page !== null && (page === hostname || this.#isAllowed(page)) ? null : 'Pages of this origin are not allowed to call the service.';
  }

  #isAllowed(hostname: string): boolean {
    return (
      this.#names.has(hostname) || hostname.endsWith('.localhost') || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
    );
  }
}

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
