/** A fake robot-link: exchanges messages with gateways through the store like the real one, with robots simulated by the test. */
import { createHash } from 'node:crypto';
import type { ObservedState, RobotCommand, ToGateway, ToLink, WaitOutcome, WaitRecord } from '@perch/schema';
import { openStore, type SavedState, type Store } from '@perch/store';
import { redisAt } from '@perch/testkit';

type CommandMessage = Extract<ToLink, { t: 'command' }>;
type Answer = ToGateway | null;

export const hello = {
  features: ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker'],
  screen: { w: 320, h: 240, formats: ['jpeg', 'png'], max_bytes: 98_304 },
  audio: { formats: ['pcm_s16le'], rates: [16_000, 24_000], buffer_bytes: 98_304, max_part_bytes: 4096 },
  commands: [
    {
      name: 'brightness',
      class: 'program',
      description: 'Screen brightness',
      args: { type: 'object', properties: { pct: { type: 'integer', minimum: 0, maximum: 100 } }, required: ['pct'], additionalProperties: false },
    },
    {
      name: 'sticker',
      class: 'program',
      args: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          image: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/*', 'x-max-w': 120, 'x-max-h': 120 },
          x: { type: 'number' },
        },
        required: ['id', 'image'],
        additionalProperties: false,
      },
    },
    { name: 'self_test', class: 'system' },
    { name: 'app_start', class: 'program' },
  ],
};

/** Number of connections over all links: of two connections of a robot, the later has the higher number. */
let dials = 0;

/** Replies to a command like a robot that executes everything and clamps its pitch. */
export function commandAnswers({ id, command }: CommandMessage): ToGateway {
  if (command.name !== 'head.move') return { t: 'ack', id, result: {} };
  const { yaw = 0, pitch = 45 } = command.args as { yaw?: number; pitch?: number };
  return { t: 'ack', id, result: { yaw, pitch: Math.min(85, Math.max(5, pitch)) } };
}

export class TestLink {
  readonly store: Store;
  readonly commands: CommandMessage[] = [];
  readonly waits: WaitRecord[] = [];
  readonly waitEnds: number[] = [];
  readonly states: string[] = [];
  readonly closed: { robot: string; code: number }[] = [];
  /** Robots whose settings a gateway had it read. */
  readonly settingsRead: string[] = [];
  /** Returns the reply to a command; null: no reply. */
  answer!: (message: CommandMessage) => Answer | Promise<Answer>;
  onWait!: (record: WaitRecord, robot: string) => void | Promise<void>;
  arms!: boolean;
  state!: SavedState | null;
  /** The robot's `doing`, sent if the gateway requests it. */
  doing!: ObservedState | null;
  readonly #sessions = new Map<string, string>();

  private constructor(store: Store) {
    this.store = store;
    this.reset();
  }

  static async start(url: string): Promise<TestLink> {
    const store = await openStore({ ...redisAt(url), instance: `link-${Math.random().toString(36).slice(2, 8)}` });
    const link = new TestLink(store);
    await store.linkMailbox.receive(store.instance, (message) => void link.#receive(message));
    await store.instances.announce();
    return link;
  }

  /** Makes all robots behave as usual, and forgets what was received. Robots stay connected. */
  reset(): void {
    this.answer = commandAnswers;
    this.onWait = () => {};
    this.arms = true;
    this.state = {
      readings: { battery_pct: 81 },
      readingsAt: 1_790_000_000_000,
      showing: { card: null, question: null, emotion: 'happy', view: 'face' },
    };
    this.doing = null;
    for (const list of [this.commands, this.waits, this.waitEnds, this.states, this.closed, this.settingsRead]) list.length = 0;
  }

  stop(): Promise<void> {
    return this.store.close();
  }

  sessionOf(robot: string): string {
    return this.#sessions.get(robot) ?? '';
  }

  async take(robot: string, token: string, said: object = hello, firmware = '1.0.0'): Promise<string> {
    const session = `s-${Math.random().toString(36).slice(2, 10)}`;
    const taken = await this.store.leases.take(robot, {
      session,
      bootId: 'b1',
      dial: ++dials,
      tokenHash: createHash('sha256').update(token).digest('hex'),
      model: 'stackchan-k151',
      firmware,
      hello: said,
    });
    if ('refused' in taken) throw new Error(taken.refused);
    this.#sessions.set(robot, session);
    return session;
  }

  async release(robot: string, how: 'moving' | 'away'): Promise<void> {
    const session = this.sessionOf(robot);
    this.#sessions.delete(robot);
    await this.store.leases.release(robot, session, how, this.state ?? undefined);
  }

  async event(robot: string, name: 'tap' | 'pat' | 'remote', data: Record<string, unknown> = {}): Promise<number> {
    const appended = await this.store.events.append(robot, { session: this.sessionOf(robot), bootId: 'b1', inSeq: null, events: [{ name, data }] });
    if (!appended.appended) throw new Error(appended.why);
    return appended.lastSeq;
  }

  async settle(robot: string, record: WaitRecord, outcome: WaitOutcome): Promise<boolean> {
    return (await this.store.waits.settle(robot, record.number, outcome, this.sessionOf(robot))).settled;
  }

  last(): RobotCommand {
    const last = this.commands.at(-1);
    if (last === undefined) throw new Error('no command came');
    return last.command;
  }

  async #receive(message: ToLink): Promise<void> {
    const { robot, session } = message;
    const here = session !== null && this.sessionOf(robot) === session;
    switch (message.t) {
      case 'command': {
        if (!here) return this.#reply(message.gateway, { t: 'not_here', id: message.id });
        this.commands.push(message);
        return this.#reply(message.gateway, await this.answer(message));
      }
      case 'state':
        this.states.push(message.id);
        if (message.settings === true) this.settingsRead.push(robot);
        if (!here) return this.#reply(message.gateway, { t: 'not_here', id: message.id });
        if (this.state === null) return;
        return this.#reply(message.gateway, {
          t: 'state',
          id: message.id,
          ...this.state,
          ...(message.doing === true && this.doing !== null ? { doing: this.doing } : {}),
        });
      case 'wait': {
        const { record } = message;
        if (!here) return this.#reply(record.gateway, { t: 'not_here', id: record.call });
        this.waits.push(record);
        if (!this.arms) return this.onWait(record, robot);
        await this.store.waits.arm(robot, session, record, { bootId: 'b1', ms: 1000, seq: 0 });
        return this.onWait(record, robot);
      }
      case 'wait_end':
        this.waitEnds.push(message.number);
        return;
      case 'close':
        if (here) this.closed.push({ robot, code: message.code });
    }
  }

  async #reply(gateway: string, answer: Answer): Promise<void> {
    if (answer !== null) await this.store.gatewayMailbox.send(gateway, answer);
  }
}
