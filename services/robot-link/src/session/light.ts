/**
 * Lights the screen of a robot for a wait, by the robot's own commands `screen` and `brightness`, and gives back afterwards what programs had set. It
 * knows what was set while a session of this boot held the robot, and takes any other screen for one that can be read. What may have made the screen
 * dark counts from the moment it is sent, what lights it once the robot has acked it.
 */
import { isObject, type DeclaredCommand, type Hello } from '@perch/schema';
import type { SavedLight } from '@perch/store';
import type { Command, CommandOutcome, Commands } from './commands.js';
import type { Lease } from './lease.js';

/** Percent from which a screen can be read: the least that firmware for these boards restores after a start (78/xiaozhi-esp32, backlight.cc). */
const readableFromPct = 10;
/** Percent at which a screen is lit that could not be read: robots stand beside people who sleep. */
const litPct = 30;
/** Percent that a robot is expected to have until a program sets it (docs/robot-link.md). */
const startPct = 80;
/** How long the screen stays lit after a wait, so that the next one of a sequence does not flicker, ms. */
const restoreAfterMs = 2000;
/** Expiry of a command that lights the screen or gives back what was set, ms. */
const sentWithinMs = 10_000;

type Light = SavedLight['set'];
type Change = { on: boolean } | { pct: number };

export class ScreenLight {
  readonly #lease: Lease;
  readonly #commands: Commands;
  /** The robot lights questions itself; it does not know of clickmaps. */
  readonly #lightsQuestions: boolean;
  /** By programs. */
  readonly #set: LightLog;
  /** By programs and for waits. */
  readonly #sent: LightLog;
  readonly #has: { on: boolean; pct: boolean };
  /** The robot's clock when the screen was last lit that could not be read, ms; null: not in a session of this boot. */
  #litMs: number | null;
  #inWait = false;
  #ended = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(lease: Lease, commands: Commands, { commands: declared, features }: Pick<Hello, 'commands' | 'features'>, saved: SavedLight | null) {
    this.#lease = lease;
    this.#commands = commands;
    this.#lightsQuestions = features.includes('lights_questions');
    const known = saved?.bootId === lease.bootId ? saved : null;
    this.#set = new LightLog(known?.set);
    this.#sent = new LightLog(known?.sent);
    this.#litMs = known?.litMs ?? null;
    this.#has = { on: takes(declared, 'screen', 'on'), pct: takes(declared, 'brightness', 'pct') };
  }

  /** Null: nothing is known. */
  get saved(): SavedLight | null {
    const { light: set } = this.#set;
    return set.on === null && set.pct === null
      ? null
      : { bootId: this.#lease.bootId, set, sent: this.#sent.light, ...(this.#litMs !== null && { litMs: this.#litMs }) };
  }

  /** Returns since when at the latest a person could read what the screen shows, by the robot's clock, ms. @param shownMs since when it shows */
  readableSince(shownMs: number): number {
    return Math.max(shownMs, this.#litMs ?? shownMs);
  }

  /** Gives back what a session before this one left lit. Call it once waits were taken over. */
  start(): void {
    if (!this.#inWait) this.#restore();
  }

  /**
   * Returns null for a screen that can be read or about which nothing is known, or else what lights it: the robot's clock once it is lit, or null if the
   * robot does not do it.
   */
  begin(isQuestion: boolean): Promise<number | null> | null {
    this.#inWait = !(isQuestion && this.#lightsQuestions);
    if (!this.#inWait) return null;
    this.#stopTimer();
    const { light: sent } = this.#sent;
    if (isReadable(sent)) return null;
    const { on, pct } = this.#set.light;
    const lit = pct === null || pct < readableFromPct ? litPct : on === false ? Math.min(pct, litPct) : pct;
    const lighting: Promise<CommandOutcome>[] = [];
    // The brightness first: a screen must not be bright before it is dim.
    if (this.#has.pct && sent.pct !== lit) {
      if (pct === null) this.#set.add({ pct: startPct }, 'done');
      lighting.push(this.#send({ pct: lit }));
    }
    if (this.#has.on && sent.on === false) lighting.push(this.#send({ on: true }));
    return Promise.all(lighting).then((outcomes) => {
      if (!this.#inWait) this.#restoreLater();
      const last = outcomes.at(-1);
      return isReadable(this.#sent.light) && last?.kind === 'ack' ? last.ms : null;
    });
  }

  end(): void {
    if (!this.#inWait) return;
    this.#inWait = false;
    this.#restoreLater();
  }

  /** Ends without a command: the next session gives back what was set. */
  stop(): void {
    this.#ended = true;
    this.#stopTimer();
  }

  /**
   * Takes note of a program's command; its outcome has to be passed on. `later`: it would make the screen of an open wait unreadable, and is sent after the
   * wait; the program gets the answer of a robot that lights its questions itself.
   */
  command({ name, args }: Pick<Command, 'name' | 'args'>): 'later' | ((outcome: CommandOutcome) => void) | null {
    const change = name === 'robot' ? changeOf(args) : null;
    if (change === null) return null;
    if (this.#inWait && darkens(change)) {
      this.#set.add(change, 'done');
      this.#lease.save();
      return 'later';
    }
    const [set, sent] = [this.#set.add(change), this.#sent.add(change)];
    if (darkens(change)) this.#lease.save();
    return (outcome) => {
      set(outcome);
      this.#note(sent, outcome);
      this.#lease.save();
    };
  }

  #restoreLater(): void {
    this.#stopTimer();
    if (!this.#ended) this.#timer = setTimeout(() => this.#restore(), restoreAfterMs);
  }

  #restore(): void {
    this.#timer = null;
    const { on, pct } = this.#set.light;
    const { light: sent } = this.#sent;
    if (on !== null && on !== sent.on) this.#giveBack({ on });
    if (pct !== null && pct !== sent.pct) this.#giveBack({ pct });
  }

  #giveBack(change: Change): void {
    void this.#send(change).then((outcome) => {
      const isFinal = outcome.kind === 'ack' || (outcome.kind === 'nack' && outcome.end === 'nack');
      if (!isFinal && !this.#inWait) this.#restoreLater();
    });
  }

  #send(change: Change): Promise<CommandOutcome> {
    const args = 'on' in change ? { command: 'screen', args: change } : { command: 'brightness', args: change };
    const ended = this.#sent.add(change);
    if (darkens(change)) this.#lease.save();
    return new Promise((resolve) => {
      const done = (outcome: CommandOutcome): void => {
        this.#note(ended, outcome);
        this.#lease.save();
        resolve(outcome);
      };
      if (!this.#commands.push({ name: 'robot', args, expires: this.#lease.now() + sentWithinMs, done })) done({ kind: 'unsent' });
    });
  }

  #note(ended: (outcome: CommandOutcome) => void, outcome: CommandOutcome): void {
    const wasReadable = isReadable(this.#sent.light);
    ended(outcome);
    if (!wasReadable && isReadable(this.#sent.light) && outcome.kind === 'ack') this.#litMs = outcome.ms;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

interface SentChange {
  readonly change: Change;
  state: 'pending' | 'done' | 'not_done';
}

/** The light after commands in their order. One that darkens counts from its sending on, unless it was not done; any other from its ack on. */
class LightLog {
  readonly #base: Light;
  readonly #changes: SentChange[] = [];

  constructor(base: Light = { on: null, pct: null }) {
    this.#base = { ...base };
  }

  get light(): Light {
    const light = { ...this.#base };
    for (const { change, state } of this.#changes) if (state === 'done' || (state === 'pending' && darkens(change))) Object.assign(light, change);
    return light;
  }

  add(change: Change, state: 'pending' | 'done' = 'pending'): (outcome: CommandOutcome) => void {
    const entry: SentChange = { change, state };
    this.#changes.push(entry);
    this.#fold();
    return (outcome) => {
      const unknown = outcome.kind === 'nack' && (outcome.end === 'no_ack' || outcome.end === 'unknown');
      entry.state = outcome.kind === 'ack' || (unknown && darkens(change)) ? 'done' : 'not_done';
      this.#fold();
    };
  }

  #fold(): void {
    for (let first = this.#changes[0]; first !== undefined && first.state !== 'pending'; first = this.#changes[0]) {
      if (first.state === 'done') Object.assign(this.#base, first.change);
      this.#changes.shift();
    }
  }
}

function isReadable({ on, pct }: Light): boolean {
  return on !== false && (pct === null || pct >= readableFromPct);
}

function darkens(change: Change): boolean {
  return 'on' in change ? !change.on : change.pct < readableFromPct;
}

function changeOf({ command, args }: Record<string, unknown>): Change | null {
  const { on, pct } = (args ?? {}) as Record<string, unknown>;
  if (command === 'screen' && typeof on === 'boolean') return { on };
  if (command === 'brightness' && typeof pct === 'number') return { pct };
  return null;
}

function takes(declared: readonly DeclaredCommand[], command: string, argument: string): boolean {
  const found = declared.find(({ name }) => name === command);
  const properties = found?.args?.['properties'];
  return found?.class === 'program' && isObject(properties) && argument in properties;
}
