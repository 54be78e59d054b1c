/** What an instance observes of its connections to Redis, for its metrics. */
import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { Cluster, type Redis } from 'ioredis';
import type { RedisTls } from './connection-factory.js';

/** What a connection is used for: commands, subscriptions, or blocking reads of queues. */
export type ConnectionUse = 'commands' | 'subscriber' | 'blocking';

export type RedisCertificate = 'redis_server' | 'redis_client' | 'redis_ca';

export class RedisVitals {
  /** Whether Redis answered the last regular round trip (one a second, `clock.ts`) within the deadline for commands. */
  isUp = false;
  /** Connections established again after they were lost. */
  readonly reconnects: Record<ConnectionUse, number> = { commands: 0, subscriber: 0, blocking: 0 };
  /** Heartbeats that Redis confirmed so late after the one before that others could already count this instance as late. */
  lateHeartbeats = 0;
  readonly #onRoundTrip: (tookMs: number) => void;
  readonly #own = new Map<RedisCertificate, number>();
  /** Expiry of the certificate that each server showed in its last handshake, ms since 1970. */
  readonly #servers = new Map<string, number>();

  /** @param tls null without TLS */
  constructor(tls: RedisTls | null, onRoundTrip: (tookMs: number) => void) {
    this.#onRoundTrip = onRoundTrip;
    for (const [certificate, pem] of [
      ['redis_client', tls?.cert],
      ['redis_ca', tls?.ca],
    ] as const) {
      const expiry = earliestExpiry(pem);
      if (expiry !== null) this.#own.set(certificate, expiry);
    }
  }

  answered(tookMs: number): void {
    this.isUp = true;
    this.#onRoundTrip(tookMs);
  }

  failed(): void {
    this.isUp = false;
  }

  /** Counts the reconnects of a connection, and notes the certificates of its servers. To be called before it connects. */
  watch(connection: Redis | Cluster, use: ConnectionUse): void {
    if (!(connection instanceof Cluster)) {
      let connected = false;
      connection.on('ready', () => {
        if (connected) this.reconnects[use] += 1;
        connected = true;
        this.#noteCertificate('', connection);
      });
      return;
    }
    // Of a Cluster each node counts: ioredis connects to one again, or replaces its connection by a new one.
    const known = new Set<string>();
    connection.on('+node', (node: Redis) => {
      const address = addressOf(node);
      node.on('ready', () => {
        if (known.has(address) && use !== 'subscriber') this.reconnects[use] += 1;
        known.add(address);
        this.#noteCertificate(address, node);
      });
    });
    connection.on('-node', (node: Redis) => this.#servers.delete(addressOf(node)));
    if (use === 'subscriber') connection.on('-subscriber', () => (this.reconnects.subscriber += 1));
  }

  /** When each certificate expires, ms since 1970; of several of a kind the first. Empty without TLS. */
  certificateExpiries(): (readonly [RedisCertificate, number])[] {
    const server = Math.min(...this.#servers.values());
    return [...this.#own, ...(Number.isFinite(server) ? [['redis_server', server] as const] : [])];
  }

  #noteCertificate(address: string, { stream }: Redis): void {
    const certificate = stream instanceof TLSSocket ? stream.getPeerX509Certificate() : undefined;
    if (certificate !== undefined) this.#servers.set(address, Date.parse(certificate.validTo));
  }
}

/** `host:port` that a connection leads to. */
export function addressOf({ options, stream }: Redis): string {
  // Where Sentinels name the master, the options hold no host of it.
  return options.sentinels ? `${stream?.remoteAddress}:${stream?.remotePort}` : `${options.host}:${options.port}`;
}

/** @param pem one certificate or several; those that cannot be read are passed over, as TLS does @returns null where none can be read */
function earliestExpiry(pem: string | null | undefined): number | null {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const expiries = blocks.flatMap((block) => {
    try {
      return [Date.parse(new X509Certificate(block).validTo)];
    } catch {
      return [];
    }
  });
  return expiries.length === 0 ? null : Math.min(...expiries);
}
