/** Answers mDNS for a name of this installation alone, also on machines without a responder of their own. Robots then find Perch at any address. */
import multicastDns from 'multicast-dns';

const mdnsPort = 5353;
const ttlS = 120;
/** RFC 6762, 6.7: the most for a client that does not take part in mDNS. */
const oneShotTtlS = 10;

export interface LocalNameOptions {
  name: string;
  address: string;
  /** 0: any free one, for a client that is told. Default: that of mDNS. */
  port?: number;
  print: (line: string) => void;
}

export class LocalName {
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
