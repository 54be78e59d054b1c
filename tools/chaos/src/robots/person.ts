/** Makes one gesture at a time. Where the input allows it, each gesture of a round is unique, so that its event can be recognised. */
import { canonical, type Gesture } from '../history/records.js';
import type { History } from '../history/history.js';
import type { Marks } from '../history/marks.js';
import type { Random } from '../random.js';
import type { RecordedRobot } from './recorded-robot.js';

/** Inside a button of every question and a tile of every menu. */
const buttons = [60, 260] as const;
const buttonY = 170;
/** Extended addresses of remotes; none is the inverse of another, which would be read as a short address. */
const remote = { address: 0x1100, addresses: 0xee };

/** Whole ms, as a robot's touch controller measures them; holding longer is a pet. */
const patMs = { from: 50, lengths: 650 } as const;

/** A shorter touch answers nothing, but at a robot-link of 0.10. */
const heldMinMs = 40;

type Kind = 'tap' | 'long_press' | 'pat' | 'pet' | 'stroke' | 'tag' | 'remote' | 'button' | 'shaken';
const kinds: readonly Kind[] = ['tap', 'tap', 'tap', 'tap', 'long_press', 'pat', 'pat', 'pet', 'stroke', 'tag', 'remote', 'button', 'shaken'];

type Becomes = Pick<Gesture, 'name' | 'unique' | 'becomes' | 'touch'> & { data: unknown };

export interface PersonPace {
  idleMs: readonly [number, number];
  /** From a question on the screen to the tap, ms; many are too soon to count. */
  thinkMs: readonly [number, number];
}

const defaultPace: PersonPace = { idleMs: [150, 1100], thinkMs: [10, 1600] };

/**
 * Events have whole pixels: up to 9,600 touches of a round have one of their own, those of answers in odd columns. The order covers the screen evenly. No
 * touch is on the right or bottom edge of a target (columns 100 to 312, rows 116, 158 and 232), which belonged to it in 0.10.x.
 */
function pixel(mark: number): [x: number, y: number] {
  const at = (mark * 24_611) % (80 * 120);
  return [4 * (at % 80) + 2, 2 * Math.floor(at / 80) + 1];
}

function buttonPixel(middle: number, mark: number): [x: number, y: number] {
  return [middle - 41 + 2 * (mark % 41), buttonY - 11 + (Math.floor(mark / 41) % 25)];
}

export class Person {
  readonly #robot: RecordedRobot;
  readonly #history: History;
  readonly #random: Random;
  readonly #marks: Marks;
  readonly #pace: PersonPace;
  readonly #off: () => void;
  #running = true;
  #busy: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #answering = new Set<NodeJS.Timeout>();

  constructor(robot: RecordedRobot, history: History, random: Random, marks: Marks, pace = defaultPace) {
    this.#robot = robot;
    this.#history = history;
    this.#random = random;
    this.#marks = marks;
    this.#pace = pace;
    this.#off = robot.core.on('picture', ({ layer }) => {
      if (layer === 'question') this.#think();
    });
    this.#idle();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#off();
    clearTimeout(this.#timer);
    for (const timer of this.#answering) clearTimeout(timer);
    await this.#busy;
  }

  lastTouch(): Promise<void> {
    return this.#then(() => this.#tap(...pixel(this.#marks.next())));
  }

  #idle(): void {
    this.#timer = setTimeout(
      () => {
        void this.#then(() => this.#gesture(this.#random.pick(kinds)));
        if (this.#running) this.#idle();
      },
      this.#random.between(...this.#pace.idleMs),
    );
  }

  #think(): void {
    if (!this.#running || this.#random.chance(0.15)) return;
    this.#answer(this.#random.between(...this.#pace.thinkMs));
    if (this.#random.chance(0.15)) this.#answer(this.#random.between(10, 2400));
  }

  #answer(ms: number): void {
    const place = this.#random.chance(0.75) ? buttonPixel(this.#random.pick(buttons), this.#marks.next('answer')) : pixel(this.#marks.next());
    const timer = setTimeout(() => {
      this.#answering.delete(timer);
      void this.#then(() => this.#tap(...place));
    }, ms);
    this.#answering.add(timer);
  }

  #then(gesture: () => Promise<void>): Promise<void> {
    this.#busy = this.#busy.then(gesture);
    return this.#busy;
  }

  #tap(x: number, y: number): Promise<void> {
    const heldMs = this.#random.int(20, 120);
    const becomes: Becomes = { name: 'tap', data: { x, y }, unique: true, becomes: 'must', touch: { x, y, long: false, short: heldMs < heldMinMs } };
    return this.#make(becomes, () => this.#robot.core.tap(x, y, { heldMs, lookMs: 0 }));
  }

  #gesture(kind: Kind): Promise<void> {
    const { core } = this.#robot;
    const n = this.#marks.next();
    const must = (name: string, data: unknown): Becomes => ({ name, data, unique: true, becomes: 'must', touch: null });
    switch (kind) {
      case 'tap':
        return this.#tap(...pixel(n));
      case 'long_press': {
        const [x, y] = pixel(n);
        return this.#make({ ...must(kind, { x, y }), touch: { x, y, long: true } }, () =>
          core.longTouch(x, y, { heldMs: 900, lookMs: 0, instant: true }),
        );
      }
      case 'pat': {
        const pats = this.#marks.next(kind);
        const ms = patMs.from + (pats % patMs.lengths);
        return this.#make({ ...must(kind, { ms }), unique: pats < patMs.lengths }, () => core.pat({ heldMs: ms, instant: true }));
      }
      case 'pet': {
        const ms = patMs.from + patMs.lengths + this.#marks.next(kind);
        return this.#make(must(kind, { seconds: ms / 1000 }), () => core.pet({ heldMs: ms, instant: true }));
      }
      case 'stroke': {
        const direction = this.#random.pick(['forward', 'back'] as const);
        return this.#make({ ...must(kind, { direction }), unique: false }, () => core.stroke(direction, { heldMs: 60 }));
      }
      case 'tag': {
        const uid = `04${n.toString(16).padStart(12, '0')}`;
        return this.#make(must(kind, { uid, type: 'NTAG213' }), () => void core.holdTag({ uid }));
      }
      case 'remote': {
        const [address, command] = [remote.address + (n % remote.addresses), Math.floor(n / remote.addresses) % 256];
        return this.#make(must(kind, { address, command }), () => core.pressRemote({ address, command, jitter: 0 }));
      }
      case 'button':
        return this.#make({ ...must(kind, { press: 'short' }), unique: false }, () => core.pressPower({ heldMs: 100, instant: true }));
      // A moving head shakes the robot, too; then this is no event.
      case 'shaken':
        return this.#make({ ...must(kind, {}), unique: false, becomes: 'may' }, () => void core.shake());
    }
  }

  async #make({ data, ...becomes }: Becomes, act: () => Promise<void> | void): Promise<void> {
    const { core, id } = this.#robot;
    const at = this.#history.now();
    const boot = core.bootId;
    // A robot that is a process of its own takes a moment to start.
    if (boot === '') return;
    const firstSeq = core.inputs.seq + 1;
    const ms = this.#robot.isMicropython ? null : core.ms;
    await act();
    // A robot that restarted meanwhile has lost the beginning.
    if (core.bootId !== boot) return;
    this.#history.gesture({ at, robot: id, boot, firstSeq, lastSeq: core.inputs.seq, data: canonical(data), ms, ...becomes });
  }
}
