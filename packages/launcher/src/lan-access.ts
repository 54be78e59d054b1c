/** `npm start -- --lan`: the services listen on loopback, behind proxies at this machine's address whose certificates follow that address. */
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Authority, mayCertify, type Names } from '@perch/authority';
import { linkPath } from '@perch/schema';
import { Front } from './front.js';
import { lanAddress, lanEnvironment, type Interfaces } from './lan.js';
import multicastDns from 'multicast-dns';

export interface LanOptions {
  /** Of `--lan-address`; null: chosen, and followed when it changes. */
  address: string | null;
  /** Serves page and interface over https alone. */
  https: boolean;
  /** Default: those of this machine. */
  interfaces?: () => Interfaces;
  /** Port of mDNS. Default: 5353, and none at a loopback address. */
  mdnsPort?: number;
  /** Default: 2 s. */
  lookEveryMs?: number;
}

interface Start {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  ports: { gateways: readonly number[]; links: readonly number[] };
  print: (line: string) => void;
}

export const caPath = '/ca.crt';
const pageRenewedMs = 30 * 86_400_000;

export class LanAccess {
  readonly #options: LanOptions;
  readonly #start: Start;
  readonly #authority: Authority;
  readonly #pages: Front[] = [];
  readonly #links: Front[] = [];
  #address: string;
  /** What the certificates in use were made for. */
  #certified = '';
  #name: LocalName | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @throws an Error with a sentence for the user */
  static async open(options: LanOptions, start: Start): Promise<LanAccess> {
    const authority = await Authority.open(join(start.stateDir, 'authority'));
    const access = new LanAccess(options, start, authority);
    writeFileSync(access.caFile, authority.pem);
    await access.#open();
    return access;
  }

  private constructor(options: LanOptions, start: Start, authority: Authority) {
    this.#options = options;
    this.#start = start;
    this.#authority = authority;
    this.#address = lanAddress(options.address, this.#interfaces());
  }

  /** The authority's certificate alone, in PEM. */
  get caFile(): string {
    return join(this.#start.stateDir, 'authority', 'ca.pem');
  }

  get fingerprint(): string {
    return this.#authority.fingerprint;
  }

  get gateways(): string[] {
    return this.#pages.map(({ port }) => `${this.#options.https ? 'https' : 'http'}://${this.#address}:${port}`);
  }

  get links(): string[] {
    return this.#links.map(({ port }) => `${this.#options.https ? 'wss' : 'ws'}://${this.#address}:${port}${linkPath}`);
  }

  /** The page by its name, where browsers trust its certificate. */
  get page(): string {
    return this.#options.https ? `https://${this.#authority.localName}:${this.#pages[0]!.port}` : this.gateways[0]!;
  }

  /** For robots, which keep it while addresses change. */
  get robotUrl(): string {
    return `wss://${this.#authority.localName}:${this.#links[0]!.port}${linkPath}`;
  }

  get caUrl(): string {
    return `http://${this.#address}:${this.#pages[0]!.port}${caPath}`;
  }

  /** For the services, at the address of now. */
  get environment(): NodeJS.ProcessEnv {
    const { page, caFile } = this;
    const publicUrl = this.#options.https ? { PERCH_PUBLIC_URL: page } : {};
    // An operator who names another address for robots has a proxy of their own there.
    const install = this.#start.env['PERCH_LINK_PUBLIC_URL'] ? {} : { PERCH_INSTALL_URL: this.robotUrl, PERCH_INSTALL_CA_FILE: caFile };
    const linkUrl = this.#options.https ? this.robotUrl : this.links[0];
    return lanEnvironment({ ...publicUrl, ...install, PERCH_LINK_PUBLIC_URL: linkUrl, PERCH_VERIFICATION_URI: `${page}/pair`, ...this.#start.env });
  }

  /** @param gateways addresses of the services on loopback, in the order of the ports */
  leadTo(gateways: readonly { address: string }[], links: readonly { address: string }[]): void {
    for (const [at, { address }] of gateways.entries()) this.#pages[at]!.leadTo(address);
    for (const [at, { address }] of links.entries()) this.#links[at]!.leadTo(address);
  }

  /** @param onMove called when the machine has another address, at which the proxies listen by then */
  follow(onMove: () => Promise<void>): void {
    this.#timer = setTimeout(() => {
      void this.#look(onMove).then(() => {
        if (this.#timer !== undefined) this.follow(onMove);
      });
    }, this.#options.lookEveryMs ?? 2000).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#name?.stop();
    await Promise.all([...this.#pages, ...this.#links].map((front) => front.stop()));
  }

  async #open(): Promise<void> {
    const { gateways, links } = this.#start.ports;
    const [forPage, forLink] = await this.#certificates();
    const shared = { host: this.#address, trustsProxy: Number(this.#start.env['PERCH_TRUST_PROXY'] || 0) > 0 };
    const answer = (request: IncomingMessage, response: ServerResponse, isTls: boolean) => this.#redirect(request, response, isTls);
    for (const port of gateways) this.#pages.push(await Front.open({ ...shared, port, certificate: forPage, answer }));
    for (const port of links) this.#links.push(await Front.open({ ...shared, port, certificate: forLink }));
    await this.#announce();
  }

  /** Never rejects: an address at which nothing can listen yet is tried again. */
  async #look(onMove: () => Promise<void>): Promise<void> {
    const found = addressOrNull(this.#options.address, this.#interfaces());
    // Without a network nothing is gained by another address.
    if (found === null) return;
    try {
      const hasMoved = found !== this.#address;
      if (hasMoved) {
        for (const front of [...this.#pages, ...this.#links]) await front.moveTo(found);
        this.#address = found;
        await this.#announce();
      }
      if (this.#key() !== this.#certified) {
        const [forPage, forLink] = await this.#certificates();
        for (const front of this.#pages) front.use(forPage);
        for (const front of this.#links) front.use(forLink);
      }
      if (hasMoved) await onMove();
    } catch (error) {
      this.#start.print(error instanceof Error ? error.message : String(error));
    }
  }

  /** Two leaves of one authority: one that ends late enough for robots is refused by Apple's browsers. */
  async #certificates() {
    this.#certified = this.#key();
    return Promise.all([this.#authority.forPage(this.#names()), this.#authority.forLink(this.#names())]);
  }

  #key(): string {
    return JSON.stringify([this.#names(), Math.floor(Date.now() / pageRenewedMs)]);
  }

  /** All addresses of this machine, so that a new one is certified before it is used, but public ones, for which browsers would trust none of them. */
  #names(): Names {
    const own = /^[a-z0-9-]+/.exec(hostname().toLowerCase())?.[0];
    const addresses = Object.values(this.#interfaces()).flatMap((all = []) =>
      all.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    );
    return {
      dns: ['localhost', this.#authority.localName, ...(own === undefined ? [] : [`${own}.local`])],
      addresses: [...new Set([this.#address, ...addresses])].filter(mayCertify).toSorted(),
    };
  }

  async #announce(): Promise<void> {
    await this.#name?.stop();
    this.#name = null;
    const { mdnsPort: port } = this.#options;
    if (port === undefined && this.#address.startsWith('127.')) return;
    const { print } = this.#start;
    this.#name = new LocalName({ name: this.#authority.localName, address: this.#address, print, ...(port === undefined ? {} : { port }) });
    await this.#name.ready;
  }

  /** A phone gets the authority before it trusts it. */
  #redirect({ url = '/', headers }: IncomingMessage, response: ServerResponse, isTls: boolean): boolean {
    if (isTls || !this.#options.https || url === caPath) return false;
    response.writeHead(308, { location: `https://${headers.host ?? new URL(this.page).host}${url}` }).end();
    return true;
  }

  #interfaces(): Interfaces {
    return this.#options.interfaces?.() ?? networkInterfaces();
  }
}

function addressOrNull(given: string | null, interfaces: Interfaces): string | null {
  try {
    return lanAddress(given, interfaces);
  } catch {
    return null;
  }
}

const mdnsPort = 5353;
const ttlS = 120;
/** RFC 6762, 6.7: the most for a client that does not take part in mDNS. */
const oneShotTtlS = 10;

interface LocalNameOptions {
  name: string;
  address: string;
  /** 0: any free one, for a client that is told. Default: that of mDNS. */
  port?: number;
  print: (line: string) => void;
}

/** Answers mDNS for a name of this installation alone, also on machines without a responder of their own. Robots then find Perch at any address. */
class LocalName {
  readonly #mdns: multicastDns.MulticastDNS;
  readonly ready: Promise<void>;

  constructor({ name, address, port = mdnsPort, print }: LocalNameOptions) {
    // Bound to all addresses: Linux delivers no multicast to a socket that is bound to one. Queries arrive by the interface of `address` alone.
    this.#mdns = multicastDns({ interface: address, bind: '0.0.0.0', port });
    this.#mdns.on('query', ({ id, questions = [] }, { address: asking, port: from }) => {
      const asked = questions.filter(({ name: wanted, type }) => wanted.toLowerCase() === name && type === 'A');
      if (asked.length === 0) return;
      const answer = { name, type: 'A' as const, class: 'IN' as const, data: address };
      if (from === mdnsPort) this.#mdns.respond({ answers: [{ ...answer, ttl: ttlS, flush: true }] });
      else this.#mdns.respond({ id: id ?? 0, questions: asked, answers: [{ ...answer, ttl: oneShotTtlS }] }, { address: asking, port: from });
    });
    this.ready = new Promise((resolve) => {
      this.#mdns.on('ready', () => resolve());
      this.#mdns.on('error', (error) => {
        print(`nobody in this network finds the name ${name}: ${error.message}`);
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#mdns.destroy(resolve));
  }
}
