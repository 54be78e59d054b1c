/** System under test: a gateway in this process on a free port, a test link, a renderer of small fake pictures and sounds, and accounts. */
import { randomUUID } from 'node:crypto';
import { createLogger, Metrics } from '@perch/runtime';
import { BadPicture, type DrawJob, type PictureNotes, type PictureRef, type SpeechJob } from '@perch/schema';
import { openStore, type RenderHandlers, type RenderWorker, type Store } from '@perch/store';
import { redisUrl } from '@perch/testkit';
import { createGateway, type Gateway } from '../src/gateway.js';
import type { GatewayOptions } from '../src/gateway-options.js';
import { TestLink } from './test-link.js';

export interface Owner {
  account: string;
  apiKey: string;
  keyId: string;
  robot: string;
  token: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

export class TestSystem {
  readonly url: string;
  readonly store: Store;
  readonly link: TestLink;
  readonly gateway: Gateway;
  readonly base: string;
  readonly metrics: Metrics['registry'];
  readonly drawn: { account: string; scene: any; formats: string[]; bytesMax: number }[] = [];
  readonly played: unknown[] = [];
  /** Called by the renderer before it draws, for example to delay it. */
  beforeDrawn: (job: DrawJob) => Promise<void> = () => Promise.resolve();
  /** Notes of the renderer on a picture; undefined: none, as from a renderer of 0.9.0. */
  notesOf: (job: DrawJob) => PictureNotes | undefined = () => ({});
  /** Pages of a text that a picture shows one of; undefined: it shows the text whole or cut, as from a renderer of 0.9.0. */
  pageOf: (job: DrawJob) => PictureRef['page'] | undefined = () => undefined;
  /** Speaks a second for each character. */
  speech: RenderHandlers['speech'] = async ({ text, rate }) => ({
    kind: 'sound',
    format: 'pcm_s16le',
    rate,
    data: Buffer.alloc(text.length * rate * 2),
  });
  readonly spoken: SpeechJob[] = [];
  readonly #renderer: RenderWorker;

  private constructor(url: string, store: Store, link: TestLink, gateway: Gateway, base: string, metrics: Metrics['registry']) {
    this.url = url;
    this.store = store;
    this.link = link;
    this.gateway = gateway;
    this.base = base;
    this.metrics = metrics;
    this.#renderer = link.store.jobs.work(
      {
        draw: async (job, uploads) => {
          this.drawn.push(job as never);
          await this.beforeDrawn(job);
          for (const [sha, bytes] of uploads) if (bytes.includes('broken')) throw new BadPicture(sha, 'The picture is damaged.');
          const scene = job.scene as { w: number; h: number };
          const notes = this.notesOf(job);
          const made = { kind: 'picture' as const, format: job.formats[0] ?? 'jpeg', w: scene.w, h: scene.h };
          const page = this.pageOf(job);
          return { ...made, ...(notes && { notes }), ...(page && { page }), data: Buffer.from(`picture of ${job.hash}`) };
        },
        sound: async (job) => {
          this.played.push(job.spec);
          return { kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: Buffer.alloc(3200) };
        },
        speech: (job, take, signal) => {
          this.spoken.push(job);
          return this.speech(job, take, signal);
        },
      },
      { scenes: 2, uploads: 2, speech: 2 },
    );
  }

  static async start({
    drainMs = 1000,
    url,
    outlivesMs,
    logTo,
    logLevel = 'info',
    ...more
  }: { drainMs?: number; url?: string; outlivesMs?: number; logTo?: string[]; logLevel?: string } & Partial<
    Pick<
      GatewayOptions,
      | 'publicUrl'
      | 'pageFolder'
      | 'linkPublicUrl'
      | 'accountSettings'
      | 'mail'
      | 'accountBounds'
      | 'accountActionsPerS'
      | 'trustedProxies'
      | 'bodyBytes'
      | 'bodyStallMs'
      | 'pendingAfterMs'
      | 'imageAddresses'
      | 'allowPrivateWebhooks'
      | 'tracing'
    >
  > = {}): Promise<TestSystem> {
    const redis = url ?? (await redisUrl());
    const store = await openStore({ url: redis, instance: `gw-${randomUUID().slice(0, 6)}` });
    const link = await TestLink.start(redis);
    const metrics = new Metrics('gateway');
    const log = createLogger(
      { level: logTo === undefined ? 'silent' : logLevel, service: 'gateway', instance: store.instance },
      { write: (line) => void logTo?.push(line) },
    );
    const outlives = outlivesMs === undefined ? {} : { outlivesMs };
    const gateway = createGateway({ store, log, metrics, host: '127.0.0.1', port: 0, publicUrl: null, drainMs, ...outlives, ...more });
    return new TestSystem(redis, store, link, gateway, await gateway.start(), metrics.registry);
  }

  async stop(): Promise<void> {
    await this.gateway.stop(AbortSignal.timeout(5000));
    await this.#renderer.close();
    await this.link.stop();
    await this.store.close();
  }

  /** Creates an account with an API key and a robot; the robot is not connected yet. */
  async owner(): Promise<Owner> {
    const { account } = await this.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const { apiKey, id: keyId } = await this.store.apiKeys.create({ account });
    const { robot, token } = await this.store.robots.create({ account, name: 'Desk' });
    return { account, apiKey, keyId, robot, token };
  }

  async ownerOnline(said?: object): Promise<Owner> {
    const owner = await this.owner();
    await this.link.take(owner.robot, owner.token, said);
    return owner;
  }

  /** Sends a request; `body` is sent as JSON unless it is a string or bytes. */
  async ask(
    method: string,
    path: string,
    {
      apiKey,
      body,
      headers = {},
      signal,
    }: { apiKey?: string | undefined; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  act(owner: Pick<Owner, 'apiKey' | 'robot'>, action: string, args: unknown = {}, signal?: AbortSignal): Promise<Answer> {
    return this.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey: owner.apiKey, body: args, ...(signal === undefined ? {} : { signal }) });
  }
}

/** One pixel. */
export const pngBase64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
