/** A browser sends the cookie with requests of any site, but no site can forge Origin and Sec-Fetch-Site. Others have only their own cookies. */
import type { IncomingMessage } from 'node:http';
import { ConsoleError } from '@perch/schema';
import type { AllowedHosts } from '../../http/allowed-hosts.js';

export class PageOriginCheck {
  readonly #hosts: AllowedHosts;
  readonly #publicOrigin: string | null;

  constructor(hosts: AllowedHosts, publicUrl: string | null) {
    this.#hosts = hosts;
    this.#publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  require({ headers }: IncomingMessage): void {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
    const { host, origin } = headers;
    // DNS rebinding: an attacker's name may resolve to this machine.
    const problem = this.#hosts.problem({ host });
    if (problem !== null) throw new ConsoleError('forbidden', problem);
    if (origin !== undefined && !this.#isOurs(origin, host ?? '')) throw foreign();
  }

  /** Compares the port too: browsers send the same cookies to all ports of a host, but another port is another origin. */
  #isOurs(origin: string, host: string): boolean {
    if (origin === this.#publicOrigin) return true;
    const url = URL.canParse(origin) ? new URL(origin) : null;
    // An http page of a host that serves https comes from an attacker in the network.
    if (this.#publicOrigin !== null && url?.host === new URL(this.#publicOrigin).host) return false;
    return url !== null && url.host !== '' && URL.canParse(`${url.protocol}//${host}`) && url.host === new URL(`${url.protocol}//${host}`).host;
  }
}

function foreign(): ConsoleError {
  return new ConsoleError('forbidden', 'Only pages of this service may send this request. Open the service in a browser and use its pages.');
}
