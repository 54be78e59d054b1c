/** The URL that robots connect to: the operator's setting, else the address that a live robot-link has published. */
import type { IncomingMessage } from 'node:http';
import { linkPath } from '@perch/schema';
import type { Store } from '@perch/store';

const cachedMs = 1000;
const listedMax = 16;
/** Matches wildcard addresses; a robot-link that listens on one is reached at the page's host. */
const wildcard = /^(?:0\.0\.0\.0|\[::\])$/;

export class LinkAddress {
  readonly #instances: Pick<Store['instances'], 'offered'>;
  readonly #configured: string | null;
  #found: { addresses: Promise<readonly string[]>; at: number } | null = null;

  /** @param configured the operator's `ws(s)://HOST`, with or without the path; null if unset */
  constructor(instances: Pick<Store['instances'], 'offered'>, configured: string | null) {
    this.#instances = instances;
    this.#configured = configured;
  }

  /** Returns `ws(s)://HOST/robot/v1/link` as the client can reach it; null if no robot-link is live. */
  async for(request: IncomingMessage): Promise<string | null> {
    return (await this.#all(request))[0]?.href ?? null;
  }

  /** Returns `ws(s)://HOST` of all live robot-links, in a fixed order: a loaded page may later have to reconnect to another one. */
  async originsFor(request: IncomingMessage): Promise<string[]> {
    return [...new Set((await this.#all(request)).map(({ origin }) => origin))].slice(0, listedMax);
  }

  async #all({ headers: { host } }: IncomingMessage): Promise<URL[]> {
    const here = host !== undefined && URL.canParse(`ws://${host}`) ? new URL(`ws://${host}`).hostname : null;
    return (this.#configured === null ? await this.#live() : [this.#configured]).map((address) => {
      const url = new URL(address);
      if (url.pathname === '/') url.pathname = linkPath;
      if (here !== null && wildcard.test(url.hostname)) url.hostname = here;
      return url;
    });
  }

  #live(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#found === null || now - this.#found.at > cachedMs)
      this.#found = { addresses: this.#instances.offered('link').catch(() => []), at: now };
    return this.#found.addresses;
  }
}
