/** The state of a robot, as it reported and confirmed it in this session. */
import { acceptReadings, type ObservedState, type Readings, type ScreenState } from '@perch/schema';
import { seriesOfCard, type SavedState } from '@perch/store';

interface CommandBody {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export class RobotState {
  readonly screen: ScreenState;
  readonly readings = new RobotReadings();
  readonly clock = new RobotClock();
  /** Highest number of an input that the session has read or an earlier one has stored. */
  lastSeq = 0;
  readonly #observed = new ObservedStateTracker();

  constructor({ card, question, emotion, view }: ScreenState) {
    this.screen = { card, question, emotion, view };
  }

  get saved(): SavedState {
    return { readings: this.readings.values, readingsAt: this.readings.at, showing: this.screen };
  }

  observed(now: number, sound: boolean): ObservedState {
    return this.#observed.at(now, this.readings, sound);
  }

  /** @returns whether a person sees something else now; the frames of a running countdown are one picture */
  apply(command: CommandBody, result: Record<string, unknown>, now: number): boolean {
    const before = shownBy(this.screen);
    applyToScreenState(this.screen, command.name, command.args);
    // Before the target angle becomes the observed one: the robot acks a movement when it begins it.
    this.began(command, now);
    this.#observed.apply(command, result, now);
    return shownBy(this.screen) !== before;
  }

  /** Notes the movement that a command starts, when it is sent and again when it is confirmed: the robot moves no later than that. */
  began({ name, args }: CommandBody, now: number): void {
    const movementMs = ownMovementMs(name, args, () => this.observed(now, false).head);
    if (movementMs !== null) this.readings.headCommanded(movementMs);
  }

  /** Returns how long a `head.move` takes from where the head is now, ms. */
  moveMs(args: Record<string, unknown>, now: number): number {
    return moveMs(args, this.observed(now, false).head);
  }
}

/** Time after a head movement in which the robot may still shake, ms. */
const settleMs = 1000;

/** Latest readings of a robot, saved in Redis at intervals, so that gateways can read them when this instance is dead. */
export class RobotReadings {
  readonly values: Readings = {};
  /** Redis ms of the last report; null before the first one. */
  at: number | null = null;
  #isSaved = true;
  #savedAt: number | null = null;
  /** performance.now() until which the head counts as moving. */
  #movingUntil = -Infinity;

  /** @param now Redis ms @param onDropped called for each value that is not a reading */
  accept(values: Record<string, unknown>, now: number, onDropped: () => void): void {
    // A movement that is no longer reported ended at an unknown time since the last report.
    const wasMoving = this.values['head_moving'] === true;
    acceptReadings(values, this.values, onDropped);
    if (wasMoving) this.headCommanded(0);
    this.at = now;
    this.#isSaved = false;
  }

  /** Notes that a movement of this length begins now at the latest, ms. */
  headCommanded(movementMs: number): void {
    this.#movingUntil = Math.max(this.#movingUntil, performance.now() + movementMs + settleMs);
  }

  get headMoving(): boolean {
    return this.headMovedWithin(0);
  }

  /** Returns whether the head moved by itself at any time in the last `ms`: the time that an input describes. */
  headMovedWithin(ms: number): boolean {
    return this.values['head_moving'] === true || performance.now() - ms < this.#movingUntil;
  }

  /** Returns whether to save the readings now: if there are new ones, and the last save is `everyMs` ago. */
  takeDue(now: number, everyMs: number): boolean {
    if (this.#isSaved) return false;
    // Spread the first saves of robots that connect at once.
    this.#savedAt ??= now - Math.random() * everyMs;
    if (now - this.#savedAt < everyMs) return false;
    this.#savedAt = now;
    this.#isSaved = true;
    return true;
  }
}

/** Until then sensors report angles along the way, so the target angle is returned instead. */
const movementMs = 2000;

interface HeadTarget {
  readonly yaw: number | null;
  readonly pitch: number | null;
  readonly at: number;
}

const noTarget: HeadTarget = { yaw: null, pitch: null, at: 0 };

type Effect = NonNullable<ObservedState['leds']['effect']>;

/** As confirmed by the robot in this session; unknown after a take-over. Values expire when read, so that an unwatched robot needs no timer. */
export class ObservedStateTracker {
  #bubble: { text: string; until: number } | null = null;
  #head = noTarget;
  #pixels: string[] | null = null;
  #effect: { effect: Effect; until: number } | null = null;

  apply({ name, args }: CommandBody, result: Record<string, unknown>, now: number): void {
    switch (name) {
      case 'bubble':
        this.#bubble = { text: String(args['text']), until: now + seconds(args) * 1000 };
        return;
      case 'head.move':
        // An angle that this command does not set is still the target of an earlier one: the head may be moving there.
        this.#head = { yaw: angle('yaw', result, args) ?? this.#head.yaw, pitch: angle('pitch', result, args) ?? this.#head.pitch, at: now };
        return;
      case 'head.gesture':
        if (args['name'] === 'home') this.#head = { yaw: 0, pitch: null, at: now };
        return;
      case 'leds.set':
        this.#pixels = args['pixels'] as string[];
        this.#effect = null;
        return;
      case 'leds.effect': {
        const { color = null, palette = null, speed } = args as Partial<Effect>;
        const forS = seconds(args);
        const effect = { name: String(args['name']), color, palette, speed: speed ?? 1 };
        this.#effect = { effect, until: forS === 0 ? Infinity : now + forS * 1000 };
      }
    }
  }

  at(now: number, readings: Pick<RobotReadings, 'values' | 'at' | 'headMoving'>, sound: boolean): ObservedState {
    return {
      bubble: this.#bubble !== null && now < this.#bubble.until ? this.#bubble.text : null,
      head: {
        yaw: this.#angle(this.#head.yaw, readings.values['head_yaw_deg'], readings.at),
        pitch: this.#angle(this.#head.pitch, readings.values['head_pitch_deg'], readings.at),
        moving: readings.headMoving,
      },
      leds: { pixels: this.#pixels, effect: this.#effect !== null && now < this.#effect.until ? this.#effect.effect : null },
      sound,
    };
  }

  #angle(commanded: number | null, reading: unknown, readAt: number | null): number | null {
    const read = typeof reading === 'number' ? reading : null;
    if (commanded === null || read === null) return commanded ?? read;
    return readAt !== null && readAt >= this.#head.at + movementMs ? read : commanded;
  }
}

function seconds({ seconds: value }: Record<string, unknown>): number {
  return typeof value === 'number' ? value : 0;
}

function angle(name: 'yaw' | 'pitch', result: Record<string, unknown>, args: Record<string, unknown>): number | null {
  if (typeof result[name] === 'number') return result[name];
  return typeof args[name] === 'number' ? args[name] : null;
}

function applyToScreenState(showing: ScreenState, name: string, args: Record<string, unknown>): void {
  const { layer, id, emotion, view } = args;
  switch (name) {
    case 'screen.show':
      if (isLayer(layer) && typeof id === 'string') showing[layer] = id;
      return;
    case 'screen.clear':
      if (isLayer(layer) && (id === undefined || showing[layer] === id)) showing[layer] = null;
      return;
    case 'face':
      if (typeof emotion === 'string') showing.emotion = emotion;
      if (typeof view === 'string') showing.view = view;
  }
}

function isLayer(value: unknown): value is 'card' | 'question' {
  return value === 'card' || value === 'question';
}

/** Names the picture that a person sees. The frames of a running countdown are one. */
export function shownBy({ card, question, view }: ScreenState): string {
  if (question !== null) return `question ${question}`;
  return card === null ? `view ${view}` : `card ${seriesOfCard(card) ?? card}`;
}

export class RobotClock {
  /** Lower bound of the robot's clock minus performance.now(): messages can be late, never early. */
  #offset: number | null = null;

  note(ms: number): void {
    const offset = ms - performance.now();
    if (this.#offset === null || offset > this.#offset) this.#offset = offset;
  }

  /** Returns the earliest time that the robot's clock can show; null before its first message with a time. */
  now(): number | null {
    return this.#offset === null ? null : Math.floor(this.#offset + performance.now());
  }
}

/** Longest gesture of a robot, such as three shakes of its head. */
const gestureMs = 2500;
/** The robot's own commands that move nothing. Others, such as a dance, may shake the robot. */
const still: ReadonlySet<unknown> = new Set(['sticker', 'brightness', 'screen', 'power_led', 'ir_send', 'clock']);

export function ownMovementMs(name: string, args: Record<string, unknown>, headNow: () => Angles): number | null {
  if (name === 'head.gesture') return gestureMs;
  if (name === 'robot') return still.has(args['command']) ? null : gestureMs;
  if (name !== 'head.move') return null;
  return moveMs(args, headNow());
}

/** The speed is the same on every robot that takes a duration, whatever its servos. */
const degreesPerSecond = 120;
const unknownDegrees = 60;
const durationMs = { min: 150, max: 3000 };

interface Angles {
  yaw: number | null;
  pitch: number | null;
}

/** @returns whole milliseconds */
function moveMs(args: Record<string, unknown>, now: Angles): number {
  const { yaw, pitch } = args as { yaw?: number; pitch?: number };
  const degrees = Math.max(travel(now.yaw, yaw), travel(now.pitch, pitch));
  return Math.round(Math.min(durationMs.max, Math.max(durationMs.min, (degrees / degreesPerSecond) * 1000)));
}

function travel(from: number | null, to: number | undefined): number {
  if (to === undefined) return 0;
  return from === null ? unknownDegrees : Math.abs(to - from);
}
