import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { Cluster, type Redis } from 'ioredis';
import type { RedisTls } from './connection-factory.js';
import type { Refusals } from './refused.js';

export type ConnectionUse = 'commands' | 'subscriber' | 'blocking';

export type RedisCertificate = 'redis_server' | 'redis_client' | 'redis_ca';

export class RedisVitals {
  /** Whether every master took the last regular write (one a second, `health.ts`), or refused it only because its memory is full. */
  isUp = false;
  readonly reconnects: Record<ConnectionUse, number> = { commands: 0, subscriber: 0, blocking: 0 };
  /** Heartbeats confirmed so long after the previous one that others could already count this instance as late. */
  lateHeartbeats = 0;
  /** What Redis, or the connection, reported last; null since a write was taken. */
  problem: string | null = null;
  /** Masters that dropped transactions while they loaded their append-only file (`lost-writes.ts`). */
  lostWrites = 0;
  readonly refusals: Refusals;
  readonly #onRoundTrip: (tookMs: number) => void;
  readonly #own = new Map<RedisCertificate, number>();
  /** Expiry of the certificate that each server presented in its last handshake, ms since 1970. */
  readonly #servers = new Map<string, number>();

  constructor(tls: RedisTls | null, refusals: Refusals, onRoundTrip: (tookMs: number) => void) {
    this.refusals = refusals;
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
    this.#onRoundTrip(tookMs);
  }

  refused(error: Error): void {
    if (this.refusals.note(error)) this.problem = error.message;
  }

  watch(connection: Redis | Cluster, use: ConnectionUse): void {
    // Also what `connectionFactory` does not report: a password that is refused.
    connection.on('error', (error: Error) => {
      this.problem = error.message;
      this.refusals.note(error);
    });
    if (!(connection instanceof Cluster)) {
      let connected = false;
      connection.on('ready', () => {
        if (connected) this.reconnects[use] += 1;
        connected = true;
        this.#noteCertificate('', connection);
      });
      return;
    }
    // ioredis reconnects to a node of a Cluster or replaces its connection.
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

  /** Returns when each certificate expires, ms since 1970; the earliest of several of a kind. Empty without TLS. */
  certificateExpiries(): (readonly [RedisCertificate, number])[] {
    const server = Math.min(...this.#servers.values());
    return [...this.#own, ...(Number.isFinite(server) ? [['redis_server', server] as const] : [])];
  }

  #noteCertificate(address: string, { stream }: Redis): void {
    const certificate = stream instanceof TLSSocket ? stream.getPeerX509Certificate() : undefined;
    if (certificate !== undefined) this.#servers.set(address, Date.parse(certificate.validTo));
  }
}

export function addressOf({ options, stream }: Redis): string {
  // With Sentinels the options contain no host of the master.
  return options.sentinels ? `${stream?.remoteAddress}:${stream?.remotePort}` : `${options.host}:${options.port}`;
}

/** @param pem one or more certificates; unreadable ones are skipped, as TLS does @returns null when none can be read */
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
