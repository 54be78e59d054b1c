/**
 * Where robots dial, for those who are told it on the page and for the robot that the page is itself: the operator's word, else where a
 * robot-link that lives says it listens.
 */
import type { IncomingMessage } from 'node:http';
import { linkPath } from '@perch/schema';
import type { Store } from '@perch/store';

/** What was found is taken for true for so long, ms. */
const keptMs = 1000;
/** One that listens everywhere is reached where the page is. */
const everywhere = /^(?:0\.0\.0\.0|\[::\])$/;

export class LinkAddress {
  readonly #instances: Pick<Store['instances'], 'offered'>;
  readonly #configured: string | null;
  #found: { address: Promise<string | null>; at: number } | null = null;

  /** @param configured the operator's `ws(s)://HOST`, with or without the link's path; null where there is none */
  constructor(instances: Pick<Store['instances'], 'offered'>, configured: string | null) {
    this.#instances = instances;
    this.#configured = configured;
  }

  /** @returns `ws(s)://HOST/robot/v1/link` as the request's sender reaches it; null while no robot-link lives */
  async for({ headers }: IncomingMessage): Promise<string | null> {
    const address = this.#configured ?? (await this.#live());
    if (address === null) return null;
    const url = new URL(address);
    if (url.pathname === '/') url.pathname = linkPath;
    if (headers.host !== undefined && everywhere.test(url.hostname) && URL.canParse(`ws://${headers.host}`))
      url.hostname = new URL(`ws://${headers.host}`).hostname;
    return url.href;
  }

  /** @returns `ws(s)://HOST` alone */
  async originFor(request: IncomingMessage): Promise<string | null> {
    const address = await this.for(request);
    return address === null ? null : new URL(address).origin;
  }

  /** Where Redis cannot be asked, nobody knows. */
  #live(): Promise<string | null> {
    const now = performance.now();
    if (this.#found === null || now - this.#found.at > keptMs) {
      const address = this.#instances.offered('link').then(
        ([first = null]) => first,
        () => null,
      );
      this.#found = { address, at: now };
    }
    return this.#found.address;
  }
}
