/** Browsers bind a passkey to the host name of a page (the id of the relying party), and offer none at IP addresses or on pages without TLS. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '@perch/schema';
import { baseUrls, type BaseUrl } from '../../discovery/discovery.js';

export interface RelyingParty {
  /** Host name. */
  id: string;
  origin: string;
}

export class RelyingParties {
  readonly #baseUrl: BaseUrl;
  readonly #urlOfRequest = baseUrls(null);

  constructor(baseUrl: BaseUrl) {
    this.#baseUrl = baseUrl;
  }

  /** The origin of the page was checked (`PageOriginCheck`). @returns null if browsers offer no passkeys there */
  find(request: IncomingMessage): RelyingParty | null {
    return relyingPartyOf(request.headers.origin ?? this.#urlOf(request));
  }

  /** @throws {ApiError} bad_argument */
  require(request: IncomingMessage): RelyingParty {
    const found = this.find(request);
    if (found === null)
      throw new ApiError(
        'bad_argument',
        'Host: passkeys need a page with a host name, over https or on this machine (http://localhost), and not an IP address.',
      );
    return found;
  }

  /** Browsers send no Origin with GET. */
  #urlOf(request: IncomingMessage): string {
    const base = this.#baseUrl(request);
    return new URL(base).host === request.headers.host ? base : this.#urlOfRequest(request);
  }
}

function relyingPartyOf(page: string): RelyingParty | null {
  if (!URL.canParse(page)) return null;
  const { protocol, hostname, origin } = new URL(page);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (hostname === '' || hostname.startsWith('[') || isIP(hostname) !== 0) return null;
  return protocol === 'https:' || (protocol === 'http:' && isLocal) ? { id: hostname, origin } : null;
}
