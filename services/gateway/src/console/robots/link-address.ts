/**
 * Where robots dial, for those who are told it on the page and for the robot that the page is itself: the operator's word, else where a
 * robot-link that lives says it listens.
 */
import type { IncomingMessage } from 'node:http';
import { linkPath } from '@perch/schema';
import type { Store } from '@perch/store';

/** What was found is taken for true for so long, ms. */
const keptMs = 1000;
/** Of so many a page may choose. */
const listedMax = 16;
/** One that listens everywhere is reached where the page is. */
const everywhere = /^(?:0\.0\.0\.0|\[::\])$/;

export class LinkAddress {
  readonly #instances: Pick<Store['instances'], 'offered'>;
  readonly #configured: string | null;
  #found: { addresses: Promise<readonly string[]>; at: number } | null = null;

  /** @param configured the operator's `ws(s)://HOST`, with or without the link's path; null where there is none */
  constructor(instances: Pick<Store['instances'], 'offered'>, configured: string | null) {
    this.#instances = instances;
    this.#configured = configured;
  }

  /** @returns `ws(s)://HOST/robot/v1/link` as the request's sender reaches it; null while no robot-link lives */
  async for(request: IncomingMessage): Promise<string | null> {
    return (await this.#all(request))[0]?.href ?? null;
  }

  /** @returns `ws(s)://HOST` of all that live, in a fixed order: a page that was loaded may have to go on with another */
  async originsFor(request: IncomingMessage): Promise<string[]> {
    return [...new Set((await this.#all(request)).map(({ origin }) => origin))].slice(0, listedMax);
  }

  async #all({ headers: { host } }: IncomingMessage): Promise<URL[]> {
    const here = host !== undefined && URL.canParse(`ws://${host}`) ? new URL(`ws://${host}`).hostname : null;
    return (this.#configured === null ? await this.#live() : [this.#configured]).map((address) => {
      const url = new URL(address);
      if (url.pathname === '/') url.pathname = linkPath;
      if (here !== null && everywhere.test(url.hostname)) url.hostname = here;
      return url;
    });
  }

  /** Where Redis cannot be asked, nobody knows. */
  #live(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#found === null || now - this.#found.at > keptMs) this.#found = { addresses: this.#instances.offered('link').catch(() => []), at: now };
    return this.#found.addresses;
  }
}
