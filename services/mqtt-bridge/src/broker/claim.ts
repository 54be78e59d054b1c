/**
 * Decides which of several bridges with one client id uses the broker: the one that started last. The broker lets the newer connection end the
 * older one, whose bridge would otherwise connect again and end the newer one, without an end. Not every broker names the reason of the
 * disconnection, so each bridge retains a claim with a number above the one before.
 */
import { randomUUID } from 'node:crypto';
import type { IPublishPacket, MqttClient } from 'mqtt';

interface ClaimRecord {
  number: number;
  instance: string;
}

const answerMs = 15_000;

export class Claim {
  readonly #topic: string;
  readonly #instance = randomUUID();
  #number: number | null = null;

  constructor(topic: string) {
    this.#topic = topic;
  }

  /** Call after each connection. @returns false if a bridge that started later has used the broker since @throws if the connection ends */
  async hold(client: MqttClient): Promise<boolean> {
    const last = await this.#read(client);
    const own = (this.#number ??= (last?.number ?? 0) + 1);
    if (last !== null && last.instance !== this.#instance && last.number >= own) return false;
    await this.publish(client);
    return true;
  }

  /** Call it once the claim is held. @throws if the connection ends */
  async publish(client: MqttClient): Promise<void> {
    // `robots`: this bridge knows claims of robots; one of 0.10 does not.
    const record = { number: this.#number, instance: this.#instance, robots: true };
    await client.publishAsync(this.#topic, JSON.stringify(record), { qos: 1, retain: true });
  }

  async #read(client: MqttClient): Promise<ClaimRecord | null> {
    let last: ClaimRecord | null = null;
    const receive = (topic: string, payload: Buffer, { retain }: IPublishPacket): void => {
      if (topic === this.#topic && retain) last = recordOf(payload.toString());
    };
    client.on('message', receive);
    try {
      await client.subscribeAsync(this.#topic, { qos: 1 });
      await this.allRetained(client);
      return last;
    } finally {
      client.off('message', receive);
    }
  }

  /**
   * Resolves once everything retained that matches the subscriptions has arrived: a message that was published after them arrives after it.
   * @throws if the connection ends
   */
  async allRetained(client: MqttClient): Promise<void> {
    const probe = randomUUID();
    const ended = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const receive = (topic: string, payload: Buffer): void => {
          if (topic === this.#topic && payload.toString() === probe) resolve();
        };
        const fail = (): void => reject(new Error('the connection was lost'));
        const timer = setTimeout(() => reject(new Error(`no message arrives on ${this.#topic}`)), answerMs);
        client.on('message', receive);
        client.once('close', fail);
        ended.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          client.off('message', receive);
          client.off('close', fail);
        });
        client.publishAsync(this.#topic, probe, { qos: 1 }).catch(reject);
      });
    } finally {
      ended.abort();
    }
  }
}

function recordOf(payload: string): ClaimRecord | null {
  try {
    const { number, instance } = JSON.parse(payload) as Partial<Record<keyof ClaimRecord, unknown>>;
    return typeof number === 'number' && Number.isSafeInteger(number) && typeof instance === 'string' ? { number, instance } : null;
  } catch {
    return null;
  }
}
