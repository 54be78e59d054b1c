/**
 * Whether a request of the console comes from a page of this service. A browser sends the cookie along whoever asks it to; what it says
 * of the asker (Origin, Sec-Fetch-Site) no page can change. What is no browser says nothing, and has no cookie that it did not get itself.
 */
import type { IncomingMessage } from 'node:http';
import { ConsoleError } from '@perch/schema';
import type { OwnHosts } from '../../http/allowed-hosts.js';

export class OwnPage {
  readonly #hosts: OwnHosts;
  readonly #publicOrigin: string | null;

  /** @param hosts the names that are ours @param publicUrl the base address of the service, where it is set */
  constructor(hosts: OwnHosts, publicUrl: string | null) {
    this.#hosts = hosts;
    this.#publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  /** @throws {ConsoleError} forbidden */
  require({ headers }: IncomingMessage): void {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
    const { host, origin } = headers;
    // A name that an attacker lets point to this machine is not ours.
    const problem = this.#hosts.problem({ host });
    if (problem !== null) throw new ConsoleError('forbidden', problem);
    if (origin !== undefined && !this.#isOurs(origin, host ?? '')) throw foreign();
  }

  /** To the port: what else runs on this machine is another origin, though a browser sends it the same cookies. */
  #isOurs(origin: string, host: string): boolean {
    if (origin === this.#publicOrigin) return true;
    const url = URL.canParse(origin) ? new URL(origin) : null;
    // Our name by http, where we are reached by https, is whoever sits on the way.
    if (this.#publicOrigin !== null && url?.host === new URL(this.#publicOrigin).host) return false;
    return url !== null && url.host !== '' && URL.canParse(`${url.protocol}//${host}`) && url.host === new URL(`${url.protocol}//${host}`).host;
  }
}

function foreign(): ConsoleError {
  return new ConsoleError('forbidden', 'Only pages of this service may do this. Open the service in a browser and do it there.');
}
