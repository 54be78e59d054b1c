/** A connection before it is a session. Messages before the welcome are queued, up to a limit. */
import { linkVersion, parseRobotMessage, type Hello } from '@perch/schema';
import { isProbeAccount, type TakenLease } from '@perch/store';
import { randomBytes } from 'node:crypto';
import { noteFailure } from '../metrics/link-metrics.js';
import type { RobotSocket, SocketOwner } from '../session/robot-socket.js';
import type { ConnectionContext, OpenHandshake } from './session-registry.js';
import { Session } from '../session/session.js';

/** Maximum messages, and maximum pings and pongs, before welcome. */
const earlyMax = 64;

export interface RobotIdentity {
  id: string;
  tokenHash: string;
}

export class Handshake implements SocketOwner, OpenHandshake {
  readonly id = `s-${randomBytes(6).toString('base64url').replace(/[-_]/g, 'x')}`;
  readonly robot: string;
  readonly #identity: RobotIdentity;
  readonly #socket: RobotSocket;
  readonly #context: ConnectionContext;
  readonly #since = performance.now();
  #hello: Hello | null = null;
  #earlyMessages: string[] = [];
  #controls = 0;
  #over = false;
  #releaseAs: 'moving' | 'away' = 'away';
  #taking: Promise<void> | null = null;

  constructor(identity: RobotIdentity, socket: RobotSocket, context: ConnectionContext) {
    this.robot = identity.id;
    this.#identity = identity;
    this.#socket = socket;
    this.#context = context;
    socket.owner = this;
    context.registry.addHandshake(this);
  }

  onText(text: string): void {
    if (this.#over) return;
    if (this.#hello !== null) {
      if (this.#earlyMessages.push(text) > earlyMax) this.close(4008, 'too many messages before welcome');
      return;
    }
    const message = parseRobotMessage(text);
    if (!('t' in message)) {
      if (offersOtherVersionsOnly(text)) return this.close(4010, 'no common version');
      return this.close(4400, message.problem);
    }
    if (message.t !== 'hello') return this.close(4400, 'the first message must be hello');
    if (!message.v.includes(linkVersion)) return this.close(4010, 'no common version');
    this.#hello = message;
    this.#socket.pause();
    this.#taking = this.#context.handshakes(() => this.#take(message));
  }

  onControl(): void {
    if ((this.#controls += 1) > earlyMax) this.close(4008, 'too many messages before welcome');
  }

  onClosed(code: number): void {
    this.#over = true;
    this.#context.registry.removeHandshake(this);
    this.#context.metrics.closed(code);
  }

  /** Called also if another connection of this robot took its lease or its token was revoked before its welcome. */
  close(code: number, reason: string): void {
    this.#over = true;
    // A paused socket would not read the robot's reply to the close.
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#context.registry.removeHandshake(this);
  }

  async drain(): Promise<void> {
    this.#releaseAs = 'moving';
    this.close(4009, 'draining');
    await this.#taking;
  }

  sweep(now: number): void {
    if (this.#hello === null && now - this.#since > this.#context.timing.helloMs) this.close(4400, 'no hello');
  }

  async #take(hello: Hello): Promise<void> {
    if (this.#over) return;
    const { store, releases } = this.#context;
    try {
      const taken = await store.leases.take(this.robot, {
        session: this.id,
        bootId: hello.boot_id,
        dial: hello.dial,
        started: hello.reason !== 'reconnect',
        tokenHash: this.#identity.tokenHash,
        model: hello.model,
        firmware: hello.firmware,
        hello: {
          features: hello.features,
          commands: hello.commands,
          screen: hello.screen ?? null,
          audio: hello.audio ?? null,
          boot: hello.boot,
          ...(hello.features.includes('open_sound') && { openSounds: true }),
          // Without it, gateways of 0.10.0 and 0.10.1 send this robot-link no pages and no countdowns.
          ...(hello.features.includes('screen') && { turnsPages: true }),
        },
      });
      if ('refused' in taken) return this.close(taken.refused === 'revoked' ? 4003 : 4001, taken.refused);
      this.#welcome(hello, taken);
    } catch (error) {
      noteFailure(this.#context, 'take', error);
      this.close(1013, 'try again');
      // Redis may have granted the lease although the reply was lost, and then no other instance would release it.
      releases.send(this.robot, this.id, this.#releaseAs, null);
    }
  }

  #welcome(hello: Hello, taken: TakenLease): void {
    const { store, registry, releases, timing, log, probeMetrics } = this.#context;
    const context = isProbeAccount(taken.account) ? { ...this.#context, metrics: probeMetrics } : this.#context;
    if (taken.previous !== null) registry.displace(this.robot, taken.previous, context.metrics);
    if (this.#over) {
      // The robot left, was displaced or was drained while it took the lease.
      releases.send(this.robot, this.id, this.#releaseAs, null);
      return;
    }
    const session = new Session({
      id: this.id,
      robot: this.robot,
      hello,
      taken,
      socket: this.#socket,
      context,
      onEnd: (over) => registry.remove(over),
    });
    this.#socket.owner = session;
    registry.removeHandshake(this);
    registry.add(session);
    context.metrics.opened(hello.reason);
    const update = this.#context.program.offerFor(hello.firmware);
    this.#socket.sendJson({
      t: 'welcome',
      v: linkVersion,
      session: this.id,
      time_ms: Math.round(store.clock.now()),
      sensors_ms: timing.sensorsMs,
      ping_ms: timing.pingMs,
      in_ack: taken.safeSeq,
      ...(update && { update }),
    });
    log.info({ robot: this.robot, session: this.id, reason: hello.reason, dial: hello.dial }, 'robot connected');
    session.start(hello, taken);
    this.#socket.resume();
    for (const text of this.#earlyMessages) session.onText(text);
    this.#earlyMessages = [];
  }
}

/** A hello of other versions only may have any form. */
function offersOtherVersionsOnly(text: string): boolean {
  try {
    const message = JSON.parse(text) as { t?: unknown; v?: unknown } | null;
    return message?.t === 'hello' && Array.isArray(message.v) && message.v.length > 0 && !message.v.includes(linkVersion);
  } catch {
    return false;
  }
}
