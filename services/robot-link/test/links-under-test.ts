/** Instances of the service in this process, virtual robots over real sockets, and a gateway that is only a mailbox. */
import assert from 'node:assert/strict';
import { createLogger, Metrics } from '@perch/runtime';
import type { CallStep, PictureRef, RobotCommand, SoundRef, Target, ToGateway, ToLink, WaitKind, WaitRecord } from '@perch/schema';
import { openStore, type Store } from '@perch/store';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { VirtualRobot, type RobotOptions } from '@perch/virtual-robot';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createApp, type App } from '../src/app.js';
import type { BalancePace } from '../src/balance/balance.js';
import type { Timing } from '../src/session/context.js';
import type { RobotProgram } from '../src/http/robot-program.js';

export interface Instance {
  app: App;
  store: Store;
  registry: Metrics['registry'];
  /** As SIGTERM would; its store stays open. */
  stop(): Promise<void>;
}

export interface InstanceOptions {
  timing?: Partial<Timing>;
  drainMs?: number;
  /** Default: the instance does not move robots. */
  balancePace?: BalancePace;
  verificationUri?: string | null;
  linkPublicUrl?: string;
  trustProxy?: number;
  keepAliveMs?: number;
  logTo?: Parameters<typeof createLogger>[1];
  /** Default: the robot program of this clone. */
  program?: RobotProgram;
}

interface CommandOptions {
  ttlMs?: number;
  session?: string;
  arrivedAt?: number;
  step?: CallStep;
}

export interface TestGateway {
  readonly id: string;
  readonly messages: ToGateway[];
  command(robot: TestRobot, command: RobotCommand, options?: CommandOptions): Promise<ToGateway>;
  wait(robot: TestRobot, wait: Partial<WaitRecord> & { kind: WaitKind; targets: Target[] }): Promise<WaitRecord>;
  send(robot: TestRobot, message: ToLink): Promise<void>;
  reply(id: string): Promise<ToGateway>;
}

export interface TestRobot {
  readonly id: string;
  readonly token: string;
  readonly account: string;
  readonly robot: VirtualRobot;
}

export class LinksUnderTest {
  store!: Store;
  gateway!: TestGateway;
  account!: string;
  #url!: string;
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  async open(url: string): Promise<void> {
    this.#url = url;
    this.store = await openStore({ ...redisAt(url), instance: `gw-${randomBytes(3).toString('hex')}` });
    this.gateway = await openGateway(this.store);
    ({ account: this.account } = await this.store.accounts.create({ email: `${randomUUID()}@example.com` }));
  }

  async instance(options: InstanceOptions = {}): Promise<Instance> {
    const name = `link-${randomBytes(3).toString('hex')}`;
    const store = await openStore({ ...redisAt(this.#url), instance: name });
    const metrics = new Metrics('robot-link');
    const { registry } = metrics;
    const app = createApp({
      store,
      log: createLogger(
        { level: process.env['PERCH_TEST_LOG'] ?? (options.logTo === undefined ? 'silent' : 'info'), service: 'robot-link', instance: name },
        options.logTo,
      ),
      metrics,
      config: {
        host: '127.0.0.1',
        port: 0,
        verificationUri: options.verificationUri === undefined ? 'http://127.0.0.1/pair' : options.verificationUri,
        trustProxy: options.trustProxy ?? 0,
        drainMs: options.drainMs ?? 3000,
        balance: options.balancePace !== undefined,
        ...(options.keepAliveMs !== undefined && { keepAliveMs: options.keepAliveMs }),
        ...(options.linkPublicUrl !== undefined && { linkPublicUrl: options.linkPublicUrl }),
      },
      timing: { sweepMs: 50, ...options.timing },
      ...(options.balancePace && { balancePace: options.balancePace }),
      ...(options.program && { program: options.program }),
    });
    await app.start?.(new AbortController().signal);
    let stopped: Promise<void> | null = null;
    const stop = (): Promise<void> => (stopped ??= Promise.resolve(app.stop?.(new AbortController().signal)));
    this.#cleanups.push(async () => {
      await stop();
      await store.close();
    });
    return { app, store, registry, stop };
  }

  async robot(instance: Instance | string, options: Partial<RobotOptions> & { tokenIn?: 'header' | 'subprotocol' } = {}): Promise<TestRobot> {
    const { robot: id, token } = await this.store.robots.create({ account: this.account });
    const url = typeof instance === 'string' ? instance : instance.app.address;
    return this.again({ id, token }, url, options);
  }

  again(
    { id, token }: { id: string; token: string },
    url: string,
    options: Partial<RobotOptions> & { tokenIn?: 'header' | 'subprotocol' } = {},
  ): TestRobot {
    const robot = new VirtualRobot({ url, token, sensors: false, reconnect: { minMs: 20, maxMs: 200 }, ...options });
    this.keep(() => robot.stop());
    return { id, token, account: this.account, robot };
  }

  /** The robot must not observe a violation of the protocol by the service. */
  async started(instance: Instance | string, options: Partial<RobotOptions> = {}): Promise<TestRobot> {
    const made = await this.robot(instance, options);
    await made.robot.start();
    return made;
  }

  async picture(bytes = 9000): Promise<PictureRef> {
    const data = randomBytes(bytes);
    return (await this.store.media.put(this.account, hashOf(data), { kind: 'picture', format: 'png', w: 320, h: 240, data })) as PictureRef;
  }

  async sound(seconds: number, rate = 16_000): Promise<{ ref: SoundRef; data: Buffer }> {
    const data = randomBytes(Math.round(seconds * rate) * 2);
    return { data, ref: (await this.store.media.put(this.account, hashOf(data), { kind: 'sound', format: 'pcm_s16le', rate, data })) as SoundRef };
  }

  async eventNames(robot: TestRobot): Promise<string[]> {
    return (await this.store.events.read(robot.id, {})).events.map(({ name }) => name);
  }

  async events(robot: TestRobot, names: string[]): Promise<void> {
    await until(async () => (await this.eventNames(robot)).join() === names.join(), { what: `events ${names.join()}` });
  }

  /** @param stop is called before the instances stop */
  keep(stop: () => Promise<unknown>): void {
    this.#cleanups.unshift(stop);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) await cleanup();
    await this.store?.close();
  }
}

/** Opens the parts beside the instances before the tests of a suite, or before each, and closes everything that the tests started after them. */
export function useLinks({ redis = redisUrl, perTest = false }: { redis?: () => string | Promise<string>; perTest?: boolean } = {}): LinksUnderTest {
  const links = new LinksUnderTest();
  (perTest ? beforeEach : before)(async () => links.open(await redis()));
  (perTest ? afterEach : after)(() => links.close());
  return links;
}

/** Starts an instance before the tests of a suite. */
export function useLink(links: LinksUnderTest, options: InstanceOptions = {}): Instance {
  const link = {} as Instance;
  before(async () => void Object.assign(link, await links.instance(options)));
  return link;
}

async function openGateway(store: Store): Promise<TestGateway> {
  const id = store.instance;
  const messages: ToGateway[] = [];
  await store.gatewayMailbox.receive(id, (message) => messages.push(message));
  const gateway: TestGateway = {
    id,
    messages,
    reply: (wanted) => until(() => messages.find((message) => message.id === wanted), { what: `a reply to ${wanted}` }),
    async send(robot, message) {
      const { instance } = await store.leases.find(robot.id);
      await store.linkMailbox.send(instance, message);
    },
    async command(robot, command, { ttlMs = 5000, session, arrivedAt, step } = {}) {
      const request = randomUUID();
      const lease = await store.leases.find(robot.id);
      await store.linkMailbox.send(lease.instance, {
        t: 'command',
        id: request,
        robot: robot.id,
        session: session ?? lease.session,
        gateway: id,
        expires: store.clock.now() + ttlMs,
        requestId: request,
        ...(arrivedAt !== undefined && { arrivedAt }),
        ...(step !== undefined && { step }),
        command,
      });
      return gateway.reply(request);
    },
    async wait(robot, wait) {
      const record: WaitRecord = {
        number: wait.number ?? (await store.waits.number(robot.id)) ?? assert.fail(),
        picture: null,
        timeoutMs: 30_000,
        gateway: id,
        call: randomUUID(),
        requestId: randomUUID(),
        ...wait,
      };
      await store.waits.open(robot.id, record);
      const { session } = await store.leases.find(robot.id);
      await gateway.send(robot, { t: 'wait', robot: robot.id, session, record });
      return record;
    },
  };
  return gateway;
}

export const leftHalf: Target = { shape: 'rect', x: 0, y: 0, w: 160, h: 240 };
export const rightHalf: Target = { shape: 'rect', x: 161, y: 0, w: 159, h: 240 };

function hashOf(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
