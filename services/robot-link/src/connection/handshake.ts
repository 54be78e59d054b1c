/**
 * A socket before it is a session: waits for the robot's hello, takes its lease, and answers welcome.
 * What the robot says meanwhile waits, a little of it.
 */
import { linkVersion, parseRobotMessage, type Hello } from '@perch/schema';
import type { Taken } from '@perch/store';
import { randomBytes } from 'node:crypto';
import { noteFailure, type LinkContext } from '../session/context.js';
import type { RobotSocket, SocketOwner } from './robot-socket.js';
import { Session } from '../session/session.js';

/** Messages that may come before welcome. */
const earlyMax = 64;

/** Who the token on the upgrade says the robot is. */
export interface KnownRobot {
  id: string;
  /** SHA-256 in hex of the token it came with. */
  tokenHash: string;
}

export class Greeting implements SocketOwner {
  readonly id = `s-${randomBytes(6).toString('base64url').replace(/[-_]/g, 'x')}`;
  readonly robot: string;
  readonly #known: KnownRobot;
  readonly #socket: RobotSocket;
  readonly #context: LinkContext;
  readonly #since = performance.now();
  #hello: Hello | null = null;
  #early: string[] = [];
  #controls = 0;
  #over = false;
  /** Where the robot is once it is over. */
  #left: 'moving' | 'away' = 'away';
  #taking: Promise<void> | null = null;

  constructor(known: KnownRobot, socket: RobotSocket, context: LinkContext) {
    this.robot = known.id;
    this.#known = known;
    this.#socket = socket;
    this.#context = context;
    socket.owner = this;
    context.roster.greet(this);
  }

  onText(text: string): void {
    if (this.#over) return;
    if (this.#hello !== null) {
      if (this.#early.push(text) > earlyMax) this.close(4008, 'too much before welcome');
      return;
    }
    const message = parseRobotMessage(text);
    if (!('t' in message)) {
      if (offersOtherVersionsOnly(text)) return this.close(4010, 'no common version');
      return this.close(4400, message.problem);
    }
    if (message.t !== 'hello') return this.close(4400, 'the robot speaks first: hello');
    if (!message.v.includes(linkVersion)) return this.close(4010, 'no common version');
    this.#hello = message;
    this.#socket.pause();
    this.#taking = this.#context.handshakes(() => this.#take(message));
  }

  onControl(): void {
    if ((this.#controls += 1) > earlyMax) this.close(4008, 'too much before welcome');
  }

  onClosed(code: number): void {
    this.#over = true;
    this.#context.roster.greeted(this);
    this.#context.metrics.closed(code);
  }

  /** Another connection of this robot took its lease, or its token died, before it got its welcome. */
  close(code: number, reason: string): void {
    this.#over = true;
    // Paused, it would not see the robot's answer to the close.
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#context.roster.greeted(this);
  }

  /** Sends the robot to another instance. Resolves when the lease that it was taking meanwhile is let go of. */
  async drain(): Promise<void> {
    this.#left = 'moving';
    this.close(4009, 'draining');
    await this.#taking;
  }

  sweep(now: number): void {
    if (this.#hello === null && now - this.#since > this.#context.timing.helloMs) this.close(4400, 'no hello');
  }

  async #take(hello: Hello): Promise<void> {
    // It was closed while it waited for its turn: there is no lease to release.
    if (this.#over) return;
    const { store, roster } = this.#context;
    try {
      const taken = await store.leases.take(this.robot, {
        session: this.id,
        bootId: hello.boot_id,
        dial: hello.dial,
        started: hello.reason !== 'reconnect',
        tokenHash: this.#known.tokenHash,
        model: hello.model,
        firmware: hello.firmware,
        hello: { features: hello.features, commands: hello.commands, screen: hello.screen ?? null, audio: hello.audio ?? null, boot: hello.boot },
      });
      if ('refused' in taken) return this.close(taken.refused === 'revoked' ? 4003 : 4001, taken.refused);
      this.#welcome(hello, taken);
    } catch (error) {
      noteFailure(this.#context, 'take', error);
      this.close(1013, 'try again');
      // Redis may have given the lease and its answer was lost: nobody would let go of it.
      roster.farewell(this.robot, this.id, this.#left, null);
    }
  }

  #welcome(hello: Hello, taken: Taken): void {
    const { store, roster, timing, log, metrics } = this.#context;
    if (taken.previous !== null) roster.displace(this.robot, taken.previous);
    if (this.#over) {
      // It left, was displaced or sent away while it took the lease; of its leaving the gateways must know.
      roster.farewell(this.robot, this.id, this.#left, null);
      return;
    }
    const session = new Session({ id: this.id, robot: this.robot, hello, taken, socket: this.#socket, context: this.#context });
    this.#socket.owner = session;
    roster.greeted(this);
    roster.add(session);
    metrics.opened(hello.reason);
    this.#socket.sendJson({
      t: 'welcome',
      v: linkVersion,
      session: this.id,
      time_ms: Math.round(store.clock.now()),
      sensors_ms: timing.sensorsMs,
      ping_ms: timing.pingMs,
      in_ack: taken.safeSeq,
    });
    log.info({ robot: this.robot, session: this.id, reason: hello.reason, dial: hello.dial }, 'robot connected');
    session.start(hello, taken);
    this.#socket.resume();
    for (const text of this.#early) session.onText(text);
    this.#early = [];
  }
}

/** A hello of a later version may look different altogether. */
function offersOtherVersionsOnly(text: string): boolean {
  try {
    const message = JSON.parse(text) as { t?: unknown; v?: unknown } | null;
    return message?.t === 'hello' && Array.isArray(message.v) && message.v.length > 0 && !message.v.includes(linkVersion);
  } catch {
    return false;
  }
}
