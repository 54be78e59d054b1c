/** Up to 4 commands of a robot are in flight and 32 queued. A command is written at most once and has exactly one outcome. */
import { limits, nackCodes, type Ack } from '@perch/schema';
import { StoreError } from '@perch/store';
import type { Command, CommandPort, Loaded } from './command.js';
import type { CommandOutcome } from './command-outcome.js';

const { inFlightMax, queuedMax } = limits.link;
/** After a command's expiry its ack may still arrive: the robot may have started it in time. */
const ackGraceMs = 1000;

interface Waiting {
  command: Command;
  bypassesHold: boolean;
  loaded: Loaded | { missing: string } | 'loading' | { failed: unknown } | null;
}

interface InFlight {
  id: string;
  command: Command;
  /** Redis time, ms. */
  sentAt: number;
  ackBy: number;
  /** Its outcome was reported before its ack. It keeps its place in flight, since the robot still has it. */
  settled: boolean;
}

const nothing: Loaded = [];

export class CommandQueue {
  readonly #port: CommandPort;
  /** Ids are never reused within a boot of the robot, which remembers the last 32. */
  readonly #idPrefix: string;
  #lastId = 0;
  #waiting: Waiting[] = [];
  /** A list, since an empty map takes 0.2 kB and four entries are searched as fast. */
  #inFlight: InFlight[] = [];
  #holds = 0;
  #timer: NodeJS.Timeout | null = null;
  #draining = false;
  #ended = false;
  #onIdle: (() => void) | null = null;

  constructor(port: CommandPort, idPrefix: string) {
    this.#port = port;
    this.#idPrefix = idPrefix;
  }

  get size(): number {
    return this.#waiting.length + this.#inFlight.length;
  }

  /** @returns false if the queue is full; `done` is then not called */
  push(command: Command): boolean {
    const isFull = this.#waiting.length >= queuedMax;
    if (this.#ended || (this.#draining && isFull)) {
      this.#finish(command, { kind: 'unsent' });
      return true;
    }
    if (isFull) return false;
    this.#port.commandQueued(command);
    this.#waiting.push({ command, bypassesHold: false, loaded: needsLoading(command) ? null : nothing });
    this.#pump();
    return true;
  }

  pushFirst(command: Command): void {
    if (this.#ended) return this.#finish(command, { kind: 'unsent' });
    this.#port.commandQueued(command);
    this.#waiting.unshift({ command, bypassesHold: true, loaded: nothing });
    this.#pump();
  }

  remove(command: Command): boolean {
    const at = this.#waiting.findIndex((entry) => entry.command === command);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    this.#finish(command, { kind: 'unsent' });
    return true;
  }

  /** Stops writing until `release` was called as often as `hold`. Commands still expire. */
  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    this.#pump();
  }

  onAck(ack: Ack): void {
    const entry = this.#take(ack.id);
    if (entry === undefined) return;
    if (entry.settled) return this.#freed();
    if (ack.ok) {
      this.#port.commandAcked(entry.command, Math.max(0, this.#port.now() - entry.sentAt) / 1000, ack);
      this.#finish(entry.command, { kind: 'ack', ms: ack.ms, result: ack.result });
    } else {
      this.#finish(entry.command, { kind: 'nack', code: nackCodes[ack.code], error: `The robot refused: ${ack.error}`, end: 'nack' });
    }
    this.#freed();
  }

  settle(command: Command, outcome: CommandOutcome): void {
    for (const entry of this.#inFlight) {
      if (entry.command !== command || entry.settled) continue;
      entry.settled = true;
      return this.#finish(command, outcome);
    }
  }

  /** Only `end` returns queued commands as unsent: while the robot is still connected here, they would be sent here again and again. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.hold();
    if (this.#inFlight.length > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Settles all commands after the socket closed: queued ones as unsent, written ones as outcome_unknown. */
  end(): void {
    this.#ended = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unsent();
    const written = this.#inFlight;
    this.#inFlight = [];
    for (const { command, settled } of written) {
      if (!settled)
        this.#finish(command, {
          kind: 'nack',
          code: 'outcome_unknown',
          error: 'The robot disconnected before it confirmed the command, which may or may not have been executed.',
          end: 'unknown',
        });
    }
    this.#onIdle?.();
  }

  #take(id: string): InFlight | undefined {
    const at = this.#inFlight.findIndex((entry) => entry.id === id);
    return at === -1 ? undefined : this.#inFlight.splice(at, 1)[0];
  }

  #unsent(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { command } of waiting) this.#finish(command, { kind: 'unsent' });
  }

  #finish(command: Command, outcome: CommandOutcome): void {
    this.#port.commandEnded(command, outcome);
    command.span?.ended(outcome);
    command.done(outcome);
  }

  #freed(): void {
    this.#pump();
    if (this.#inFlight.length === 0) this.#onIdle?.();
  }

  #pump(): void {
    while (this.#inFlight.length < inFlightMax) {
      const head = this.#waiting[0];
      if (head === undefined || (this.#holds > 0 && !head.bypassesHold)) break;
      const now = this.#port.now();
      if (head.command.expires <= now) {
        this.#waiting.shift();
        this.#finish(head.command, late);
        continue;
      }
      const loaded = this.#load(head);
      if (loaded === null) break;
      this.#waiting.shift();
      this.#write(head.command, loaded, now);
    }
    for (let i = 0; i < inFlightMax && i < this.#waiting.length; i += 1) this.#load(this.#waiting[i]!);
    this.#watch();
  }

  #write(command: Command, loaded: Exclude<Waiting['loaded'], 'loading' | null>, now: number): void {
    if ('missing' in loaded) return this.#finish(command, { kind: 'media_missing', hash: loaded.missing });
    if ('failed' in loaded) {
      return this.#finish(command, {
        kind: 'nack',
        code: 'service_unavailable',
        error: loaded.failed instanceof StoreError ? loaded.failed.storageProblem : 'Something went wrong in the service.',
        end: 'refused',
      });
    }
    const id = `${this.#idPrefix}-${(this.#lastId += 1)}`;
    this.#inFlight.push({ id, command, sentAt: now, ackBy: command.expires + ackGraceMs, settled: false });
    const problem = this.#port.write(command, id, Math.max(1, Math.floor(command.expires - now)), loaded);
    if (problem === null) {
      command.span?.written(command);
      return command.written?.();
    }
    this.#take(id);
    this.#finish(command, { kind: 'nack', ...problem, end: 'refused' });
  }

  #load(entry: Waiting): Exclude<Waiting['loaded'], 'loading' | null> | null {
    if (entry.loaded === 'loading') return null;
    if (entry.loaded !== null) return entry.loaded;
    entry.loaded = 'loading';
    this.#port.load(entry.command).then(
      (loaded) => this.#loaded(entry, loaded),
      (error: unknown) => this.#loaded(entry, { failed: error }),
    );
    return null;
  }

  #loaded(entry: Waiting, loaded: Loaded | { missing: string } | { failed: unknown }): void {
    entry.loaded = loaded;
    this.#pump();
  }

  /** A pending timer is kept: firing early costs less than setting it again for each command. */
  #watch(): void {
    if (this.#timer !== null || this.#ended) return;
    let next = Infinity;
    for (const { command } of this.#waiting) next = Math.min(next, command.expires);
    for (const { ackBy } of this.#inFlight) next = Math.min(next, ackBy);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, Math.ceil(next - this.#port.now())));
  }

  #expire(): void {
    this.#timer = null;
    const now = this.#port.now();
    const tooLate = this.#waiting.filter(({ command }) => command.expires <= now);
    if (tooLate.length > 0) this.#waiting = this.#waiting.filter(({ command }) => command.expires > now);
    for (const { command } of tooLate) this.#finish(command, late);
    for (const { id, command, settled } of this.#inFlight.filter((entry) => entry.ackBy <= now)) {
      // The outcome of another one may have ended the session, and with it this command.
      if (this.#take(id) === undefined) continue;
      if (!settled) this.#finish(command, { kind: 'nack', code: 'no_ack', error: 'The robot did not confirm in time.', end: 'no_ack' });
    }
    this.#freed();
  }
}

const late: CommandOutcome = {
  kind: 'nack',
  code: 'no_ack',
  error: 'The command expired while the robot was busy; it was not sent.',
  end: 'late',
};

function needsLoading(command: Command): boolean {
  return command.sound !== undefined || (command.attachments !== undefined && command.attachments.length > 0);
}
