/** A session in the process of the test, without Redis: the test reads what it sends to the robot, acks it, and answers its store calls. */
import { createLogger, Metrics } from '@perch/runtime';
import type { DeclaredCommand, Hello, PictureRef, WaitState } from '@perch/schema';
import type { SavedLight, SavedState, Store, TakenLease } from '@perch/store';
import { MediaCache } from '../src/media/media-cache.js';
import { LinkMetrics } from '../src/metrics/link-metrics.js';
import { timing } from '../src/session/context.js';
import type { Command, CommandOutcome } from '../src/session/commands.js';
import type { LinkContext } from '../src/session/context.js';
import type { RobotSocket } from '../src/session/robot-socket.js';
import { Session } from '../src/session/session.js';
import { hello } from './dial.js';

export interface WrittenCommand {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export interface SessionUnderTestOptions {
  id?: string;
  declared?: readonly DeclaredCommand[];
  /** Id of the picture on the question layer. */
  question?: string | null;
  inSeq?: number;
  safeSeq?: number;
  wait?: WaitState | null;
  light?: SavedLight | null;
  now?: () => number;
  /** Answers to what the session reads; default: a picture of one byte at once. */
  picture?: (ref: PictureRef) => Promise<Buffer>;
  events?: Partial<Store['events']>;
  waits?: Partial<Store['waits']>;
  saved?: (state: SavedState) => void;
}

const log = createLogger({ level: 'silent', service: 'robot-link', instance: 'link-test' });
const gauged = { robots: [], registry: { handshakeCount: 0, pendingReleaseCount: 0 }, subscriber: { size: 0 } };
const metrics = new LinkMetrics(new Metrics('robot-link'), () => gauged);

export class SessionUnderTest {
  readonly session: Session;
  /** Commands that the robot has received and not acked, in their order. */
  readonly unacked: WrittenCommand[] = [];
  readonly written: WrittenCommand[] = [];
  readonly inputAcks: number[] = [];
  readonly frames: Buffer[] = [];
  readonly outcomes = new Map<string, CommandOutcome[]>();

  constructor({ id = 's-abc', declared = [], question = null, now = () => 1000, saved = () => {}, ...options }: SessionUnderTestOptions = {}) {
    const { inSeq = 0, safeSeq = 0, wait = null, light = null, picture = () => Promise.resolve(Buffer.alloc(1)), events = {}, waits = {} } = options;
    const store = {
      clock: { now },
      events,
      waits,
      leases: { save: (_robot: string, _session: string, state: SavedState) => (saved(state), Promise.resolve(true)) },
      gatewayMailbox: { send: () => Promise.resolve(1), sent: () => Promise.resolve() },
    };
    const context = {
      store,
      log,
      metrics,
      timing,
      tracing: null,
      media: new MediaCache({ read: (ref) => picture(ref as PictureRef), range: () => Promise.resolve(null), growing: () => Promise.resolve(null) }),
      releases: { send: (_robot: string, _session: string, _state: string, state: SavedState) => saved(state) },
      inputAcks: { later: () => {} },
    } as unknown as LinkContext;
    const socket = {
      sendText: (text: string) => this.#receive(JSON.parse(text) as object),
      sendJson: (message: object) => this.#receive(message),
      sendBinary: (frame: Buffer) => this.frames.push(frame),
      close: () => {},
    } as unknown as RobotSocket;
    const said = { ...hello, commands: declared, showing: { ...hello.showing, question } } as unknown as Hello;
    const settings = { volumeMax: null, quietHours: null };
    const lease = { account: 'a', previous: null, connectedDue: false, inSeq, safeSeq, near: null, usb: null, wait, playing: null, settings };
    const taken = { ...lease, ...(light && { light }) } as unknown as TakenLease;
    this.session = new Session({ id, robot: 'r', hello: said, taken, socket, context, onEnd: () => {} });
    this.session.start(said, taken);
  }

  /** Returns a command whose outcomes are noted by its name. */
  command(name: string, withPicture = false): Command {
    const outcomes: CommandOutcome[] = [];
    this.outcomes.set(name, outcomes);
    const picture: PictureRef = { kind: 'picture', account: 'a', hash: name, format: 'png', bytes: 1, crc32: 1, w: 320, h: 240 };
    return {
      name,
      args: {},
      expires: 60_000,
      ...(withPicture && { attachments: [{ path: [], picture }] }),
      done: (outcome) => outcomes.push(outcome),
    };
  }

  /** The robot confirms or refuses the first command that it has not acked. @param ms the robot's clock */
  ack(ms = 1, refuses = false): void {
    const first = this.unacked.shift();
    if (first === undefined) return;
    const ack = { t: 'ack', id: first.id, ms };
    this.session.onText(JSON.stringify(refuses ? { ...ack, ok: false, code: 'hardware', error: 'no' } : { ...ack, ok: true, result: {} }));
  }

  #receive(message: { t?: string; seq?: number }): void {
    if (message.t === 'in_ack') this.inputAcks.push(message.seq!);
    if (message.t !== 'cmd') return;
    this.written.push(message as unknown as WrittenCommand);
    this.unacked.push(message as unknown as WrittenCommand);
  }
}

/** Resolves once all promises that are settled now have had their effects. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
