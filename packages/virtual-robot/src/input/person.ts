/**
 * A simulated person who answers questions after about a second, without knowing their layout. Leaves approvals to people: questions whose answers were
 * grey at first.
 */

import { systemClock, Timers, type Clock } from '../clock.js';
import type { RobotEvents } from '../robot-events.js';

/** The surface of a robot that a person sees and touches. */
export interface TappableRobot {
  readonly screen: { readonly question: { readonly id: string } | null };
  on(event: 'picture', listener: (shown: RobotEvents['picture']) => void): () => void;
  tap(x: number, y: number): Promise<unknown>;
}

export interface PersonOptions {
  /** Varied by 30 %, and at least 400 ms: people see nothing sooner, and a touch within 350 ms of the picture does not count. Default: 1 s. */
  thinkMs?: number;
  /** Time between taps while the same question stays. Default: 400 ms. */
  againMs?: number;
  /** Answers approvals as well: at random, so for tests alone. Default: false. */
  approvals?: boolean;
  random?: () => number;
  clock?: Clock;
}

const thinkLeastMs = 400;

/** Points tapped first: left and right of the middle, where most layouts have an answer. */
const firstTries: readonly [number, number][] = [
  [60, 170],
  [260, 170],
];
/** Pictures of an approval, and those of them whose answers are grey, because they do not count yet (`greyPages` of the service's waits). */
const approval = /^w\d+[gr]\d+$/;
const greyPage = /^w\d+g\d+$/;
/** A place beside the answers in every layout: a tap there turns the page. */
const beside: readonly [number, number][] = [[160, 30]];
const grid: readonly [number, number][] = [80, 130, 170, 215, 40].flatMap((y) => [50, 160, 270].map((x): [number, number] => [x, y]));

export class Person {
  readonly taps: { question: string; x: number; y: number }[] = [];
  readonly #robot: TappableRobot;
  readonly #timers: Timers;
  readonly #thinkMs: number;
  readonly #againMs: number;
  readonly #approvals: boolean;
  readonly #random: () => number;
  readonly #off: () => void;

  constructor(robot: TappableRobot, options: PersonOptions = {}) {
    const { thinkMs = 1000, againMs = 400, approvals = false, random = Math.random, clock = systemClock } = options;
    this.#robot = robot;
    this.#thinkMs = thinkMs;
    this.#againMs = againMs;
    this.#approvals = approvals;
    this.#random = random;
    this.#timers = new Timers(clock);
    this.#off = robot.on('picture', ({ layer, id }) => {
      if (layer === 'question') this.#think(id);
    });
    if (robot.screen.question) this.#think(robot.screen.question.id);
  }

  stop(): void {
    this.#off();
    this.#timers.stopAll();
  }

  #think(question: string): void {
    this.#timers.stopAll();
    if (approval.test(question) && !this.#approvals) return;
    const first = this.#random() < 0.5 ? firstTries : firstTries.toReversed();
    const places = greyPage.test(question) ? beside : [...first, ...grid];
    const tryAt = (index: number): void => {
      if (this.#robot.screen.question?.id !== question) return;
      const [x, y] = places[index % places.length] as [number, number];
      this.taps.push({ question, x, y });
      if (this.taps.length > 1000) this.taps.shift();
      void this.#robot.tap(x, y);
      this.#timers.after(this.#vary(this.#againMs), () => tryAt(index + 1));
    };
    this.#timers.after(Math.max(thinkLeastMs, this.#vary(this.#thinkMs)), () => tryAt(0));
  }

  #vary(ms: number): number {
    return ms * (0.7 + 0.6 * this.#random());
  }
}
