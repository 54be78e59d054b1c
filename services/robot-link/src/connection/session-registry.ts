/** The sessions and handshakes of this instance, and the only timer for all of them. Ten thousand idle robots cost one check a second each. */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import type { ToLink } from '@perch/schema';
import { beatGoneMs, type UnreadableMessage } from '@perch/store';
import { noteFailure, type LinkMetrics } from '../metrics/link-metrics.js';
import type { LinkContext } from '../session/context.js';
import { sendReply } from '../session/replies.js';
import type { Session } from '../session/session.js';

/** Checking ten thousand sessions at once would delay every action of that moment. */
const parts = 10;

export interface OpenHandshake {
  readonly id: string;
  readonly robot: string;
  close(code: number, reason: string): void;
  drain(): Promise<void>;
  sweep(now: number): void;
}

export interface ConnectionContext extends LinkContext {
  readonly registry: SessionRegistry;
}

export class SessionRegistry {
  readonly #context: LinkContext;
  readonly #sessions = new Map<string, Session>();
  readonly #handshakes = new Map<string, OpenHandshake>();
  #accepted = 0;
  #sweepTimer: NodeJS.Timeout | null = null;
  readonly #sweptAt: number[] = [];
  #part = 0;
  #toSweep: Iterator<Session> = this.#sessions.values();
  #partSize = 0;

  constructor(context: LinkContext) {
    this.#context = context;
  }

  start(): void {
    this.#sweptAt.push(...Array.from({ length: parts }, () => performance.now()));
    this.#sweepTimer = setInterval(() => this.#sweep(), this.#context.timing.sweepMs / parts);
  }

  async stop(): Promise<void> {
    if (this.#sweepTimer) clearInterval(this.#sweepTimer);
    this.#context.inputAcks.stop();
    for (const session of this.#sessions.values()) session.close(4009, 'draining');
    await this.#context.releases.done();
  }

  async drainHandshakes(): Promise<void> {
    await Promise.all([...this.#handshakes.values()].map((handshake) => handshake.drain()));
  }

  addHandshake(handshake: OpenHandshake): void {
    this.#handshakes.set(handshake.id, handshake);
  }

  removeHandshake(handshake: OpenHandshake): void {
    this.#handshakes.delete(handshake.id);
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.#accepted += 1;
  }

  remove(session: Session): void {
    this.#sessions.delete(session.id);
  }

  find(robot: string, session: string): Session | null {
    const found = this.#sessions.get(session);
    return found?.robot === robot ? found : null;
  }

  /**
   * Passes a message of a gateway or another robot-link to the session that it is for, or answers not_here for a session that is not on this instance.
   * Never throws, so that the following messages are handled too.
   */
  receive(message: ToLink): void {
    try {
      if (message.t === 'close') return this.close(message.robot, message.session, message.code);
      if (this.find(message.robot, message.session)?.take(message) !== true) this.#sendBack(message);
    } catch (error) {
      this.#context.log.error({ err: error, t: message.t }, 'message of another instance not handled');
    }
  }

  /** Answers not_here: another instance may be able to read it. Not to itself: it could not read the answer either, without end. */
  refuseUnreadable({ id, gateway, reason, claimedType }: UnreadableMessage): void {
    const { metrics, log, store } = this.#context;
    metrics.instanceMessagesUnreadable.inc({ reason });
    log.warn({ reason, type: claimedType, id }, 'unreadable message of another instance; nothing sent to a robot');
    if (gateway !== '' && gateway !== store.instance) sendReply(this.#context, gateway, { t: 'not_here', id });
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get acceptedCount(): number {
    return this.#accepted;
  }

  /** The longest connected first. */
  pick(count: number, accepts: (session: Session) => boolean): Session[] {
    const picked: Session[] = [];
    for (const session of this.#sessions.values()) {
      if (picked.length >= count) break;
      if (accepts(session)) picked.push(session);
    }
    return picked;
  }

  get handshakeCount(): number {
    return this.#handshakes.size;
  }

  get pendingReleaseCount(): number {
    return this.#context.releases.size;
  }

  /** @param session null: all of the robot */
  close(robot: string, session: string | null, code: 4001 | 4003): void {
    const reason = code === 4003 ? 'revoked' : 'replaced';
    for (const members of [this.#handshakes, this.#sessions]) {
      const some = session === null ? [...members.values()] : [members.get(session)];
      for (const member of some) if (member?.robot === robot) member.close(code, reason);
    }
  }

  /** Closes the session that held a robot before, here or elsewhere, and counts a robot whose instance ended without handing it over. */
  displace(robot: string, previous: { instance: string; session: string }, metrics: Pick<LinkMetrics, 'sessionsOrphaned'>): void {
    if (previous.instance === this.#context.store.instance) return this.close(robot, previous.session, 4001);
    this.#displaceElsewhere(robot, previous, metrics).catch((error: unknown) => noteFailure(this.#context, 'displace', error));
  }

  async #displaceElsewhere(
    robot: string,
    { instance, session }: { instance: string; session: string },
    metrics: Pick<LinkMetrics, 'sessionsOrphaned'>,
  ): Promise<void> {
    const { store } = this.#context;
    const receivers = await store.linkMailbox.send(instance, { t: 'close', robot, session, code: 4001 });
    // On a Cluster the number of receivers is unknown: wait until the heartbeat of a dead instance would have expired.
    if (receivers === null) await setTimeoutAsync(beatGoneMs, undefined, { ref: false });
    if (receivers === 0 || (await store.instances.mayLookGone(instance))) metrics.sessionsOrphaned.inc();
  }

  /** After this instance had no heartbeat for so long that its robots counted as away. */
  announceAll(): void {
    for (const session of this.#sessions.values()) session.announce();
  }

  recheckAll(): void {
    for (const session of this.#sessions.values()) session.recheck();
  }

  /** Nothing was sent to the robot, so the gateway may send the message again. A wait_end needs no reply. */
  #sendBack(message: Exclude<ToLink, { t: 'close' }>): void {
    if (message.t === 'wait') sendReply(this.#context, message.record.gateway, { t: 'not_here', id: message.record.call });
    else if (message.t !== 'wait_end') sendReply(this.#context, message.gateway, { t: 'not_here', id: message.id });
  }

  #sweep(): void {
    const now = performance.now();
    if (this.#part === 0) {
      this.#toSweep = this.#sessions.values();
      this.#partSize = Math.ceil(this.#sessions.size / parts);
      for (const handshake of this.#handshakes.values()) handshake.sweep(now);
      this.#context.releases.retry();
    }
    const elapsedMs = now - this.#sweptAt[this.#part]!;
    this.#sweptAt[this.#part] = now;
    this.#part = (this.#part + 1) % parts;
    // The last part includes sessions that were added during the sweep.
    for (let count = 0; count < this.#partSize || this.#part === 0; count += 1) {
      const next = this.#toSweep.next();
      if (next.done === true) break;
      next.value.sweep(now, elapsedMs);
    }
  }
}

// Moves an instance's robots elsewhere before it ends, spread over time, so that they do not all dial the next instance at once.

/** Average, ms; less if there are so many robots that the limits below apply. */
const paceMs = 5;
/** Share of the drain time in which hand-overs start; the rest is for what robots still have in flight. */
const spreadPart = 0.5;
const spreadMsMax = 30_000;

/** Resolves when all sessions have ended. @param withinMs after which work in flight is cut off */
export async function drainSessions(sessions: readonly Session[], withinMs: number): Promise<void> {
  if (sessions.length === 0) return;
  let cut: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, withinMs);
  });
  const spreadMs = Math.min(spreadMsMax, withinMs * spreadPart, sessions.length * paceMs);
  const startedAt = performance.now();
  const ending: Promise<void>[] = [];
  try {
    for (const [i, session] of sessions.entries()) {
      const waitMs = startedAt + (spreadMs * i) / sessions.length - performance.now();
      if (waitMs >= 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
      ending.push(session.handOver('draining', tooLate));
    }
    await Promise.all(ending);
  } finally {
    clearTimeout(cut);
  }
}
