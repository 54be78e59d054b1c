/** A simulated person who answers questions after about a second, without knowing their layout. */

import { systemClock, Timers, type Clock } from '../clock.js';
import type { RobotEvents } from '../robot-events.js';

/** The surface of a robot that a person sees and touches. */
export interface TappableRobot {
  readonly screen: { readonly question: { readonly id: string } | null };
  on(event: 'picture', listener: (shown: RobotEvents['picture']) => void): () => void;
  tap(x: number, y: number): Promise<unknown>;
}

export interface PersonOptions {
  /** Varied by 30 %. Default: 1 s. */
  thinkMs?: number;
  /** Time between taps while the same question stays. Default: 400 ms. */
  againMs?: number;
  random?: () => number;
  clock?: Clock;
}

/** Points tapped first: left and right of the middle, where most layouts have an answer. */
const firstTries: readonly [number, number][] = [
  [60, 170],
  [260, 170],
];
const grid: readonly [number, number][] = [80, 130, 170, 215, 40].flatMap((y) => [50, 160, 270].map((x): [number, number] => [x, y]));

export class Person {
  readonly taps: { question: string; x: number; y: number }[] = [];
  readonly #robot: TappableRobot;
  readonly #timers: Timers;
  readonly #thinkMs: number;
  readonly #againMs: number;
  readonly #random: () => number;
  readonly #off: () => void;

  constructor(robot: TappableRobot, { thinkMs = 1000, againMs = 400, random = Math.random, clock = systemClock }: PersonOptions = {}) {
    this.#robot = robot;
    this.#thinkMs = thinkMs;
    this.#againMs = againMs;
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
    const first = this.#random() < 0.5 ? firstTries : firstTries.toReversed();
    const places = [...first, ...grid];
    const tryAt = (index: number): void => {
      if (this.#robot.screen.question?.id !== question) return;
      const [x, y] = places[index % places.length] as [number, number];
      this.taps.push({ question, x, y });
      if (this.taps.length > 1000) this.taps.shift();
      void this.#robot.tap(x, y);
      this.#timers.after(this.#vary(this.#againMs), () => tryAt(index + 1));
    };
    this.#timers.after(this.#vary(this.#thinkMs), () => tryAt(0));
  }

  #vary(ms: number): number {
    return ms * (0.7 + 0.6 * this.#random());
  }
}
