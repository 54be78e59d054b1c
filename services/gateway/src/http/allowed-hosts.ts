/** Against DNS rebinding: allows as Host loopback names, IP addresses, the host listened on and that of PERCH_PUBLIC_URL. */
import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf, isAddress, isLoopback } from '@perch/runtime';

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;

  constructor(publicUrl: string | null, host: string) {
    this.#names = new Set([host.toLowerCase(), ...(publicUrl === null ? [] : [new URL(publicUrl).hostname])]);
  }

  problem({ host }: IncomingHttpHeaders): string | null {
    const hostname = hostnameOf(`http://${host}`);
    if (host === undefined || hostname === null || !(this.#isAllowed(hostname) || isAddress(hostname))) {
      return 'The Host header does not name this service. If the service has a host name, set PERCH_PUBLIC_URL to its URL.';
    }
    return null;
  }

  #isAllowed(hostname: string): boolean {
    return this.#names.has(hostname) || isLoopback(hostname);
  }
}
