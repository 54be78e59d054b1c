/** System under test: a gateway in this process on a free port, a test link, a renderer of small fake pictures and sounds, and accounts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLogger, Metrics } from '@perch/runtime';
import { BadPicture, type DrawJob, type PictureNotes, type PictureRef, type SpeechJob } from '@perch/schema';
import { openStore, type RenderHandlers, type RenderWorker, type Store } from '@perch/store';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { createGateway, type Gateway } from '../src/gateway.js';
import type { GatewayOptions } from '../src/gateway-options.js';
import { TestLink, hello } from './test-link.js';

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

export type GatewaySettings = { url?: string; logTo?: string[]; logLevel?: string } & Partial<
  Pick<
    GatewayOptions,
    | 'drainMs'
    | 'outlivesMs'
    | 'keepAliveMs'
    | 'publicUrl'
    | 'pageFolder'
    | 'linkPublicUrl'
    | 'robotProgram'
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
>;

export const secondForEachCharacter: RenderHandlers['speech'] = async ({ text, rate }) => ({
  kind: 'sound',
  format: 'pcm_s16le',
  rate,
  data: Buffer.alloc(text.length * rate * 2),
});

export class GatewayUnderTest {
  url!: string;
  store!: Store;
  link!: TestLink;
  gateway!: Gateway;
  base!: string;
  metrics!: Metrics['registry'];
  readonly drawn: { account: string; scene: any; formats: string[]; bytesMax: number }[] = [];
  readonly played: unknown[] = [];
  readonly spoken: SpeechJob[] = [];
  /** Called by the renderer before it draws, for example to delay it. */
  beforeDrawn!: (job: DrawJob) => Promise<void>;
  /** Notes of the renderer on a picture; undefined: none. */
  notesOf!: (job: DrawJob) => PictureNotes | undefined;
  /** Pages of a text that a picture shows one of; undefined: it shows the text whole or cut. */
  pageOf!: (job: DrawJob) => PictureRef['page'] | undefined;
  speech!: RenderHandlers['speech'];
  #renderer!: RenderWorker;
  readonly #links: TestLink[] = [];

  static async start(settings: GatewaySettings = {}): Promise<GatewayUnderTest> {
    const system = new GatewayUnderTest();
    await system.start(settings);
    return system;
  }

  async start({ drainMs = 1000, url, logTo, logLevel = 'info', ...options }: GatewaySettings): Promise<void> {
    this.url = url ?? (await redisUrl());
    this.store = await openStore({ ...redisAt(this.url), instance: `gw-${randomUUID().slice(0, 6)}` });
    this.link = await this.anotherLink();
    this.#renderer = this.#startRenderer();
    this.reset();
    const metrics = new Metrics('gateway');
    this.metrics = metrics.registry;
    const log = createLogger(
      { level: logTo === undefined ? 'silent' : logLevel, service: 'gateway', instance: this.store.instance },
      { write: (line) => void logTo?.push(line) },
    );
    this.gateway = createGateway({ store: this.store, log, metrics, host: '127.0.0.1', port: 0, publicUrl: null, drainMs, ...options });
    this.base = await this.gateway.start();
  }

  /** Makes the link and the renderer behave as usual, and forgets what they received. */
  reset(): void {
    for (const link of this.#links) link.reset();
    this.beforeDrawn = () => Promise.resolve();
    this.notesOf = () => ({});
    this.pageOf = () => undefined;
    this.speech = secondForEachCharacter;
    for (const list of [this.drawn, this.played, this.spoken]) list.length = 0;
  }

  #startRenderer(): RenderWorker {
    return this.link.store.jobs.work(
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

  async stop(): Promise<void> {
    await this.gateway?.stop(AbortSignal.timeout(5000));
    await this.#renderer?.close();
    for (const link of this.#links.splice(0)) await link.stop();
    await this.store?.close();
  }

  /** Starts a robot-link that stops with the gateway. */
  async anotherLink(): Promise<TestLink> {
    const link = await TestLink.start(this.url);
    this.#links.push(link);
    return link;
  }

  /** Returns the value of a metric. @param sample name, and labels as in the text */
  async metric(sample: string): Promise<number> {
    const line = (await this.metrics.metrics()).split('\n').find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length) ?? assert.fail(`no metric ${sample}`));
  }

  untilHolds(count: number, kind: 'poll' | 'stream' | 'wait'): Promise<unknown> {
    const held = async (): Promise<boolean> => (await this.metric(`perch_gateway_held_calls{kind="${kind}"}`)) === count;
    return until(held, { what: `${count} open calls of the kind ${kind}` });
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

/**
 * Starts a gateway before the tests of a suite, or before each, and stops it after them. Before each test, its link and renderer behave as usual.
 * @param settings a function: called once the hooks before it have run
 */
export function useGateway(
  settings: GatewaySettings | (() => GatewaySettings) = {},
  { perTest = false }: { perTest?: boolean } = {},
): GatewayUnderTest {
  const system = new GatewayUnderTest();
  (perTest ? beforeEach : before)(() => system.start(typeof settings === 'function' ? settings() : settings));
  if (!perTest) beforeEach(() => system.reset());
  (perTest ? afterEach : after)(() => system.stop());
  return system;
}

/** Creates an owner before each test. @param said hello of the robot; null: the robot is not connected */
export function useOwner(system: GatewayUnderTest, said: object | null = hello): Owner {
  const owner = {} as Owner;
  beforeEach(async () => void Object.assign(owner, said === null ? await system.owner() : await system.ownerOnline(said)));
  return owner;
}

/** Returns functions that call an action of an owner's robot, check that it succeeds or is refused, and return the body of the answer. */
export function callsOf(system: GatewayUnderTest, owner: Owner) {
  return {
    async ok(action: string, args: unknown): Promise<any> {
      const { status, body } = await system.act(owner, action, args);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.ok, true);
      return body;
    },
    async refused(action: string, args: unknown, status: number, code: string): Promise<any> {
      const answer = await system.act(owner, action, args);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(answer.body.code, code);
      return answer.body;
    },
  };
}

/** One pixel. */
export const pngBase64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Tokens of the rate limit that a key may have got back since then: 10 a second, counted up. */
export function tokensSince(startedMs: number): number {
  return Math.ceil((performance.now() - startedMs) / 100);
}
