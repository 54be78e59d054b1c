/**
 * The sockets of this instance, by session, and the one timer that looks after all of them: heartbeats, what fell silent, readings to save.
 * A robot has no timer of its own, so that ten thousand idle ones cost one look a second each, and not all at the same moment.
 */
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { beatGoneMs, type SavedState } from '@perch/store';
import { noteFailure, type LinkContext } from '../session/context.js';
import { Farewells } from './lease-releases.js';
import type { Greeting } from './handshake.js';
import type { Session } from '../session/session.js';

/** Acks of input are collected for so long, ms. */
const ackMs = 50;
/** The sessions are looked at in so many parts, one after the other: all of ten thousand at once would make every action of that moment late. */
const parts = 10;

export class Roster {
  readonly #context: Omit<LinkContext, 'roster'>;
  readonly #farewells: Farewells;
  readonly #sessions = new Map<string, Session>();
  readonly #greetings = new Map<string, Greeting>();
  readonly #toAck = new Set<Session>();
  #accepted = 0;
  #ackTimer: NodeJS.Timeout | null = null;
  #sweepTimer: NodeJS.Timeout | null = null;
  /** When each part was looked at last, performance.now(). */
  readonly #sweptAt: number[] = [];
  #part = 0;
  #toSweep: Iterator<Session> = this.#sessions.values();
  #partSize = 0;

  constructor(context: Omit<LinkContext, 'roster'>) {
    this.#context = context;
    this.#farewells = new Farewells(context);
  }

  start(): void {
    this.#sweptAt.push(...Array.from({ length: parts }, () => performance.now()));
    this.#sweepTimer = setInterval(() => this.#sweep(), this.#context.timing.sweepMs / parts);
  }

  /** Ends what is still there and resolves when Redis knows. */
  async stop(): Promise<void> {
    if (this.#sweepTimer) clearInterval(this.#sweepTimer);
    if (this.#ackTimer) clearTimeout(this.#ackTimer);
    for (const session of this.#sessions.values()) session.close(4009, 'draining');
    await this.farewellsSaid();
  }

  /** Sends those away who have no session yet; none of them gets one any more. */
  async drainGreetings(): Promise<void> {
    await Promise.all([...this.#greetings.values()].map((greeting) => greeting.drain()));
  }

  greet(greeting: Greeting): void {
    this.#greetings.set(greeting.id, greeting);
  }

  /** A greeting is over: it became a session, or nothing. */
  greeted(greeting: Greeting): void {
    this.#greetings.delete(greeting.id);
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
    this.#accepted += 1;
  }

  remove(session: Session): void {
    this.#sessions.delete(session.id);
    this.#toAck.delete(session);
  }

  /** The open session of this id, if it is this robot's. */
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

  /** Sessions opened since the start. */
  get acceptedCount(): number {
    return this.#accepted;
  }

  /** Returns up to `count` sessions that the predicate accepts, the longest connected first. */
  pick(count: number, accepts: (session: Session) => boolean): Session[] {
    const picked: Session[] = [];
    for (const session of this.#sessions.values()) {
      if (picked.length >= count) break;
      if (accepts(session)) picked.push(session);
    }
    return picked;
  }

  get greetingCount(): number {
    return this.#greetings.size;
  }

  get farewellCount(): number {
    return this.#farewells.size;
  }

  /** Closes a session of a robot, or with null every one, also while it is being greeted. */
  close(robot: string, session: string | null, code: 4001 | 4003): void {
    const reason = code === 4003 ? 'revoked' : 'replaced';
    for (const members of [this.#greetings, this.#sessions]) {
      const some = session === null ? [...members.values()] : [members.get(session)];
      for (const member of some) if (member?.robot === robot) member.close(code, reason);
    }
  }

  /** Closes the session that held a robot before, here or at another instance, and counts a robot whose instance ended without handing it over. */
  displace(robot: string, previous: { instance: string; session: string }): void {
    if (previous.instance === this.#context.store.instance) return this.close(robot, previous.session, 4001);
    this.#displaceElsewhere(robot, previous).catch((error: unknown) => noteFailure(this.#context, 'displace', error));
  }

  async #displaceElsewhere(robot: string, { instance, session }: { instance: string; session: string }): Promise<void> {
    const { store, metrics } = this.#context;
    const receivers = await store.links.send(instance, { t: 'close', robot, session, code: 4001 });
    // On a Cluster the count says nothing: whether the instance still lives shows when the heartbeat of one that died has expired.
    if (receivers === null) await setTimeoutAsync(beatGoneMs, undefined, { ref: false });
    if (receivers === 0 || (await store.instances.mayLookGone(instance))) metrics.sessionsOrphaned.inc();
  }

  farewell(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void {
    this.#farewells.say(robot, session, state, saved);
  }

  /** Resolves when Redis has answered to the farewells until now, or could not. */
  farewellsSaid(): Promise<void> {
    return this.#farewells.said();
  }

  /** The session's input is acked with all that comes in the next few ms. */
  ackLater(session: Session): void {
    this.#toAck.add(session);
    this.#ackTimer ??= setTimeout(() => {
      this.#ackTimer = null;
      const sessions = [...this.#toAck];
      this.#toAck.clear();
      for (const each of sessions) each.sendAck();
    }, ackMs);
  }

  /** This instance had no heartbeat for so long that its robots looked away, although their sockets are still here. */
  announceAll(): void {
    for (const session of this.#sessions.values()) session.announce();
  }

  /** Messages may have been lost: whether a robot is another's by now, and whether its wait was ended. All reads leave in one pipeline. */
  lookAgain(): void {
    for (const session of this.#sessions.values()) {
      void this.#save(session, session.saved);
      session.lookAgain();
    }
  }

  #sweep(): void {
    const now = performance.now();
    if (this.#part === 0) {
      this.#toSweep = this.#sessions.values();
      this.#partSize = Math.ceil(this.#sessions.size / parts);
      for (const greeting of this.#greetings.values()) greeting.sweep(now);
      this.#farewells.retry();
    }
    const elapsedMs = now - this.#sweptAt[this.#part]!;
    this.#sweptAt[this.#part] = now;
    this.#part = (this.#part + 1) % parts;
    // The last part takes those, too, that came meanwhile.
    for (let count = 0; count < this.#partSize || this.#part === 0; count += 1) {
      const next = this.#toSweep.next();
      if (next.done === true) break;
      this.#look(next.value, now, elapsedMs);
    }
  }

  #look(session: Session, now: number, elapsedMs: number): void {
    session.sweep(now, elapsedMs);
    const saved = session.takeDue();
    // Those of one part leave together.
    if (saved !== null) void this.#save(session, saved);
  }

  async #save(session: Session, saved: SavedState): Promise<void> {
    try {
      if (!(await this.#context.store.leases.save(session.robot, session.id, saved))) session.loseLease();
    } catch (error) {
      noteFailure(this.#context, 'save', error);
    }
  }
}
