/** The sessions and handshakes of this instance, and the only timer for all of them. Ten thousand idle robots cost one check a second each. */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { beatGoneMs, type SavedState } from '@perch/store';
import { noteFailure, type AckSender, type LinkContext, type SessionHolder } from '../session/context.js';
import type { LinkMetrics } from '../metrics/link-metrics.js';
import { LeaseReleases } from './lease-releases.js';
import type { Session } from '../session/session.js';

const ackMs = 50;
/** Checking ten thousand sessions at once would delay every action of that moment. */
const parts = 10;

export interface OpenHandshake {
  readonly id: string;
  readonly robot: string;
  close(code: number, reason: string): void;
  drain(): Promise<void>;
  sweep(now: number): void;
}

export class SessionRegistry implements SessionHolder {
  readonly #context: Omit<LinkContext, 'registry'>;
  readonly #releases: LeaseReleases;
  readonly #sessions = new Map<string, Session>();
  readonly #handshakes = new Map<string, OpenHandshake>();
  readonly #toAck = new Set<AckSender>();
  #accepted = 0;
  #ackTimer: NodeJS.Timeout | null = null;
  #sweepTimer: NodeJS.Timeout | null = null;
  readonly #sweptAt: number[] = [];
  #part = 0;
  #toSweep: Iterator<Session> = this.#sessions.values();
  #partSize = 0;

  constructor(context: Omit<LinkContext, 'registry'>) {
    this.#context = context;
    this.#releases = new LeaseReleases(context);
  }

  start(): void {
    this.#sweptAt.push(...Array.from({ length: parts }, () => performance.now()));
    this.#sweepTimer = setInterval(() => this.#sweep(), this.#context.timing.sweepMs / parts);
  }

  async stop(): Promise<void> {
    if (this.#sweepTimer) clearInterval(this.#sweepTimer);
    if (this.#ackTimer) clearTimeout(this.#ackTimer);
    for (const session of this.#sessions.values()) session.close(4009, 'draining');
    await this.releasesDone();
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

  remove(session: AckSender): void {
    this.#sessions.delete(session.id);
    this.#toAck.delete(session);
  }

  find(robot: string, session: string): Session | null {
    const found = this.#sessions.get(session);
    return found?.robot === robot ? found : null;
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
    return this.#releases.size;
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

  releaseLease(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void {
    this.#releases.send(robot, session, state, saved);
  }

  releasesDone(): Promise<void> {
    return this.#releases.done();
  }

  ackLater(session: AckSender): void {
    this.#toAck.add(session);
    this.#ackTimer ??= setTimeout(() => {
      this.#ackTimer = null;
      const sessions = [...this.#toAck];
      this.#toAck.clear();
      for (const each of sessions) each.sendAck();
    }, ackMs);
  }

  /** After this instance had no heartbeat for so long that its robots counted as away. */
  announceAll(): void {
    for (const session of this.#sessions.values()) session.announce();
  }

  recheckAll(): void {
    for (const session of this.#sessions.values()) {
      void session.lease.save(session.saved);
      session.recheck();
    }
  }

  #sweep(): void {
    const now = performance.now();
    if (this.#part === 0) {
      this.#toSweep = this.#sessions.values();
      this.#partSize = Math.ceil(this.#sessions.size / parts);
      for (const handshake of this.#handshakes.values()) handshake.sweep(now);
      this.#releases.retry();
    }
    const elapsedMs = now - this.#sweptAt[this.#part]!;
    this.#sweptAt[this.#part] = now;
    this.#part = (this.#part + 1) % parts;
    // The last part includes sessions that were added during the sweep.
    for (let count = 0; count < this.#partSize || this.#part === 0; count += 1) {
      const next = this.#toSweep.next();
      if (next.done === true) break;
      this.#sweepSession(next.value, now, elapsedMs);
    }
  }

  #sweepSession(session: Session, now: number, elapsedMs: number): void {
    session.sweep(now, elapsedMs);
    const saved = session.takeDue();
    if (saved !== null) void session.lease.save(saved);
  }
}
