/** The update of the program of one connected robot: sends the command once the owner has asked for it and the robot is not busy, and notes the outcome. */
import {
  lateUpdate,
  logText,
  programVersion,
  updateRefusedReasons,
  type ChangeKind,
  type Hello,
  type StoredRobotUpdate,
  type UpdateRefusedReason,
} from '@perch/schema';
import { noteFailure } from '../metrics/link-metrics.js';
import type { CommandOutcome, Commands } from './commands.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';

/** Time for the robot to begin, ms. */
const beginMs = 5000;
/** Between two tries at a robot that refuses because it is busy, ms. */
const againMs = 3000;

/** Not the whole hello, whose lists of features and commands take more memory than the rest of the session's update. */
type HelloFacts = Pick<Hello, 'firmware' | 'reason' | 'boot'>;

type Step = 'started' | 'installed' | 'failed';

export class SessionUpdate {
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #commands: Commands;
  readonly #isIdle: () => boolean;
  readonly #hello: HelloFacts;
  /** The update that the owner requested and the robot does not have yet. */
  #requested: StoredRobotUpdate | null = null;
  /** The update that the robot is installing. */
  #running: StoredRobotUpdate | null = null;
  #notBefore = 0;
  /** Why the robot refused the update that failed last. */
  #refused: UpdateRefusedReason | null = null;
  /** Steps are written in turn: a robot may fail before the note that it has begun is stored. */
  #written: Promise<void> = Promise.resolve();

  /** @param isIdle whether an update interrupts nothing now */
  constructor(lease: Lease, context: LinkContext, commands: Commands, hello: Hello, isIdle: () => boolean) {
    this.#lease = lease;
    this.#context = context;
    this.#commands = commands;
    this.#isIdle = isIdle;
    const { firmware, reason, boot } = hello;
    this.#hello = { firmware, reason, boot };
  }

  /** Notes what the robot is offered, and what became of an update that it began before. */
  start(): void {
    const { firmware } = this.#hello;
    const offered = this.#context.program.offerFor(firmware)?.version ?? null;
    this.#change((stored) => {
      const now = this.#now();
      const next = { ...this.#settled(stored ?? { offered, state: 'none', version: '', at: now }, programVersion(firmware)!, now), offered };
      return next.state === stored?.state && next.offered === stored.offered && next.at === stored.at ? stored : next;
    });
  }

  /** Reads whether the owner has asked for an update. */
  read(): void {
    this.#change((stored) => stored);
  }

  /** Called about once a second. */
  sweep(): void {
    const now = this.#now();
    const late = this.#requested ?? this.#running;
    if (late !== null && lateUpdate(late, now) !== null) {
      this.#requested = this.#running = null;
      this.#change((stored) => stored && this.#overdue(stored, now));
    } else if (this.#requested !== null && now >= this.#notBefore && this.#isIdle()) this.#send(this.#requested.version);
  }

  /** The robot reports that it has not installed the version, or that it did not start. */
  failed(version: string, error: string, refused?: string): void {
    this.#running = null;
    this.#refused = updateRefusedReasons.find((reason) => reason === refused) ?? null;
    this.#change((stored) => stored && this.#ended(stored, version, 'failed', logText(error)));
  }

  #send(version: string): void {
    this.#requested = null;
    this.#commands.push({
      name: 'update',
      args: { version },
      expires: this.#lease.now() + beginMs,
      done: (outcome) => this.#answered(version, outcome),
    });
  }

  #answered(version: string, outcome: CommandOutcome): void {
    // The next session of the robot sends it again, if this one is over.
    if (outcome.kind === 'unsent' || (outcome.kind === 'nack' && (outcome.code === 'robot_busy' || outcome.end === 'late'))) {
      this.#notBefore = this.#now() + againMs;
      return this.read();
    }
    // A robot that does not confirm may have begun.
    const mayRun = outcome.kind === 'ack' || (outcome.kind === 'nack' && (outcome.end === 'no_ack' || outcome.end === 'unknown'));
    const error = outcome.kind === 'nack' ? outcome.error : 'The command was not sent.';
    this.#change((stored) => {
      if (!mayRun) return stored && this.#ended(stored, version, 'failed', error);
      return stored?.state === 'requested' && stored.version === version ? { ...stored, state: 'updating', at: this.#now() } : stored;
    });
  }

  #settled(stored: StoredRobotUpdate, current: string, now: number): StoredRobotUpdate {
    if (stored.version === current) return this.#ended(stored, current, 'installed');
    if (stored.state === 'updating' && this.#hello.reason !== 'reconnect') {
      const { boot } = this.#hello;
      const error =
        boot?.cause === 'crash'
          ? `The new program did not start: ${boot.error ?? 'no reason given'}`
          : 'The robot started again before the update was installed.';
      return this.#ended(stored, stored.version, 'failed', error);
    }
    return this.#overdue(stored, now);
  }

  #overdue(stored: StoredRobotUpdate, now: number): StoredRobotUpdate {
    const error = lateUpdate(stored, now);
    return error === null ? stored : this.#ended(stored, stored.version, 'failed', error);
  }

  /** Leaves an update that is over, and one to another version, as it is. */
  #ended(stored: StoredRobotUpdate, version: string, state: 'installed' | 'failed', error?: string): StoredRobotUpdate {
    if ((stored.state !== 'requested' && stored.state !== 'updating') || stored.version !== version) return stored;
    const { offered, via } = stored;
    return { offered, state, version, at: this.#now(), ...(via && { via }), ...(error !== undefined && { error }) };
  }

  #change(change: (stored: StoredRobotUpdate | null) => StoredRobotUpdate | null): void {
    this.#written = this.#written.then(() => this.#write(change)).catch((error: unknown) => noteFailure(this.#context, 'settings', error));
  }

  async #write(change: (stored: StoredRobotUpdate | null) => StoredRobotUpdate | null): Promise<void> {
    const { robot, account } = this.#lease;
    let current: StoredRobotUpdate | null = null;
    const changed = await this.#context.store.robots.updates.change(account, robot, (stored) => {
      const after = change(stored);
      current = after;
      return after === stored ? null : after;
    });
    this.#note(changed === null ? current : changed.after);
    if (changed === null || changed.before?.state === changed.after.state) return;
    const { state } = changed.after;
    if (state === 'updating') await this.#tell('started', changed.after);
    else if (state === 'installed' || state === 'failed') await this.#tell(state, changed.after);
  }

  #note(stored: StoredRobotUpdate | null): void {
    this.#requested = stored?.state === 'requested' ? stored : null;
    this.#running = stored?.state === 'updating' ? stored : null;
  }

  async #tell(step: Step, { version, error, via = 'page' }: StoredRobotUpdate): Promise<void> {
    const { robot, account } = this.#lease;
    const { log, store, metrics } = this.#context;
    if (step !== 'started') metrics.robotUpdates.inc({ outcome: step === 'failed' ? (this.#refused ?? 'failed') : step });
    const audit: ChangeKind = `robot_update_${step}`;
    const outcome = step === 'failed' ? 'failed' : 'ok';
    const line = { audit, outcome, account, robot, version, firmware: this.#hello.firmware, ...(error !== undefined && { error }) };
    if (step === 'failed') log.warn(line, `audit: ${audit}`);
    else log.info(line, 'audit');
    await store.activity.append(account, { calls: [], changes: [{ at: this.#now(), via, action: audit, outcome, robot }], usage: new Map() });
  }

  #now(): number {
    return Math.floor(this.#lease.now());
  }
}
