/** The connection to the MQTT broker. It reconnects with a backoff; while it is away, messages are dropped instead of being sent late. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@perch/runtime';
import { connect, type IPublishPacket, type MqttClient } from 'mqtt';
import { Claim } from './claim.js';

export interface BrokerOptions {
  url: string;
  username: string | null;
  password: string | null;
  ca: string | null;
  /** Certificate of the bridge and its private key. */
  certificate: { cert: string; key: string } | null;
  clientId: string;
  /** Published by the broker, retained, when the connection is lost, and by the bridge when it stops. */
  will: { topic: string; payload: string };
  /** Topic of the claim of bridges with this client id. */
  claimTopic: string;
  /** Facts that the bridge must know before it carries out commands. */
  subscriptions: readonly string[];
  commands: string;
  log: Logger;
  /** Called after each connection, before anything arrives. */
  onConnecting(): void;
  /** Called after each connection, once everything retained has arrived and before the first command does. */
  onKnown(): Promise<void>;
  /** Called after each connection, when messages can be sent. Commands arrive from then on. */
  onUp(): void;
  onDown(): void;
  /** Called when a bridge with the same client id started later. This one no longer connects. */
  onReplaced(): void;
  /** @param retained whether the broker kept the message from before the subscription */
  onMessage(topic: string, payload: string, retained: boolean): void;
}

export type BrokerState = 'connecting' | 'up' | 'replaced';

const keepaliveS = 30;
const connectMs = 15_000;
const [firstPauseMs, longestPauseMs] = [500, 30_000];
/** Larger messages are not delivered. A card with a picture in base64 needs less. */
const packetBytesMax = 2_000_000;

export class Broker {
  readonly #options: BrokerOptions;
  readonly #claim: Claim;
  readonly #stopping = new AbortController();
  #state: BrokerState = 'connecting';
  #client: MqttClient | null = null;
  #loop: Promise<void> | null = null;
  #lastProblem = '';

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#claim = new Claim(options.claimTopic);
  }

  get state(): BrokerState {
    return this.#state;
  }

  /** Returns immediately; the connection is established, and established again, in the background. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Sends a message if the broker is connected. @returns whether it was sent; at least once, if the connection lasts */
  publish(topic: string, payload: string, { retain = false } = {}): boolean {
    if (this.#state !== 'up') return false;
    // The callback reports a lost connection, which the loop sees as well.
    this.#client!.publish(topic, payload, { qos: 1, retain }, () => undefined);
    return true;
  }

  /** Returns what is retained on topics, once; nothing where the broker refuses the subscription or is not connected. */
  async retained(filters: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const client = this.#client;
    if (client === null) return found;
    const receive = (topic: string, payload: Buffer, { retain }: IPublishPacket): void => {
      if (retain && payload.length > 0) found.set(topic, payload.toString());
    };
    client.on('message', receive);
    try {
      await subscribe(client, filters);
      await this.#claim.allRetained(client);
      await client.unsubscribeAsync([...filters]);
    } catch (error) {
      this.#options.log.warn({ problem: (error as Error).message }, 'retained messages of the MQTT broker cannot be read');
    } finally {
      client.off('message', receive);
    }
    return found;
  }

  /** Publishes that the bridge is offline, which the broker would not do after an orderly end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const client = this.#client;
    if (client !== null && this.#state === 'up') {
      const { topic, payload } = this.#options.will;
      await client.publishAsync(topic, payload, { qos: 1, retain: true }).catch(() => undefined);
    }
    client?.end(true);
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      const wasUp = await this.#session();
      if (signal.aborted) return;
      if (this.#state === 'replaced') {
        this.#options.onReplaced();
        this.#options.log.error(
          { client_id: this.#options.clientId },
          'another MQTT client with the client id of this bridge connected: this bridge stops until it is restarted. Run one bridge for each API key',
        );
        return;
      }
      failures = wasUp ? 1 : failures + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + Math.random() / 2);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Connects once. @returns when the connection has ended, whether it was established */
  #session(): Promise<boolean> {
    const { url, username, password, ca, certificate, clientId, will, log } = this.#options;
    return new Promise((resolve) => {
      let wasUp = false;
      // MQTT.js refuses a certificate of the bridge with ssl://.
      const client = connect(url.replace(/^tcp:/i, 'mqtt:').replace(/^ssl:/i, 'mqtts:'), {
        protocolVersion: 5,
        clientId,
        ...(username !== null && { username }),
        ...(password !== null && { password }),
        ...(ca !== null && { ca }),
        ...certificate,
        // Commands that were sent while the bridge was away must not be carried out late.
        clean: true,
        // A new client for each session: nothing of an earlier one is resent.
        reconnectPeriod: 0,
        resubscribe: false,
        connectTimeout: connectMs,
        keepalive: keepaliveS,
        properties: { maximumPacketSize: packetBytesMax },
        will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
      });
      this.#client = client;
      client.on('connect', () => {
        void this.#settle(client).then((settled) => {
          if (!settled || this.#stopping.signal.aborted) return client.end(true);
          wasUp = true;
          this.#state = 'up';
          this.#lastProblem = '';
          log.info('connected to the MQTT broker');
          this.#options.onUp();
          return undefined;
        });
      });
      client.on('message', (topic, payload, { retain }) => {
        // Another bridge took this one for dead.
        if (topic === this.#options.claimTopic && payload.length === 0 && this.#state === 'up')
          void this.#claim.publish(client).catch(() => undefined);
        this.#options.onMessage(topic, payload.toString('utf8'), retain);
      });
      client.on('error', (error) => this.#report(error));
      client.once('close', () => {
        client.end(true);
        this.#client = null;
        if (this.#state === 'up') this.#state = 'connecting';
        if (wasUp) this.#options.onDown();
        if (wasUp && !this.#stopping.signal.aborted) log.warn('the connection to the MQTT broker was lost');
        resolve(wasUp);
      });
    });
  }

  /** @returns whether the broker may be used: no newer bridge does, and every subscription was granted */
  async #settle(client: MqttClient): Promise<boolean> {
    try {
      if (!(await this.#claim.hold(client))) {
        this.#state = 'replaced';
        return false;
      }
      this.#options.onConnecting();
      await subscribe(client, this.#options.subscriptions);
      await this.#claim.allRetained(client);
      await this.#options.onKnown();
      await subscribe(client, [this.#options.commands]);
      return true;
    } catch (error) {
      this.#report(error as Error);
      return false;
    }
  }

  /** Logs each problem once until it changes or the connection succeeds. */
  #report(error: Error): void {
    const text = error.message === '' ? String((error as NodeJS.ErrnoException).code) : error.message;
    if (this.#stopping.signal.aborted || text === this.#lastProblem) return;
    this.#lastProblem = text;
    this.#options.log.warn({ problem: text }, 'the MQTT broker cannot be used');
  }
}

/** @throws {Error} which names the topics that the broker refuses */
async function subscribe(client: MqttClient, topics: readonly string[]): Promise<void> {
  const granted = await client.subscribeAsync([...topics], { qos: 1 });
  const refused = granted.filter(({ qos }) => qos >= 0x80);
  if (refused.length > 0) throw new Error(`the broker refused the subscription to ${refused.map(({ topic }) => topic).join(', ')}`);
}
