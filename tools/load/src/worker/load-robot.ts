/** A virtual robot of the load, with a simulated person who answers questions, and a count of executed commands. */
import { answerAt } from '@perch/bench';
import { markOf, type Random } from '@perch/chaos';
import { VirtualRobot, type Clock, type ReceivedCommand } from '@perch/virtual-robot';
import { sharedNow } from './shared-clock.js';
import { placeOf } from './tap-places.js';

export interface LoadRobotOptions {
  id: string;
  token: string;
  /** Dialled in turn, starting with index `at`. */
  links: readonly string[];
  at: number;
  random: Random;
  clock: Clock;
  answerAfterMs: readonly [number, number];
  lost: () => void;
  welcomed: (robot: LoadRobot) => void;
  problem: (what: string) => void;
}

/** How long any question is on the screen before a touch counts, ms. */
const countsAfterMs = 1000;
/** A tap takes 90 ms. */
const untouchedAfterMs = 100;

export class LoadRobot {
  readonly id: string;
  /** Marks of executed commands -> id of the command. */
  readonly marks = new Map<string, string>();
  done = 0;
  doubled = 0;
  online = false;
  /** sharedNow() of the last tap on an answer; -Infinity: never. */
  answeredAt = -Infinity;
  /** When the robot had no session (sharedNow()); `to` of the last time is Infinity until it has one. */
  readonly away: { from: number; to: number }[] = [{ from: -Infinity, to: Infinity }];
  readonly #options: LoadRobotOptions;
  readonly #robot: VirtualRobot;
  #at: number;
  #touched = false;
  #taps = 0;

  constructor(options: LoadRobotOptions) {
    this.#options = options;
    const { id, token, at, random, clock, problem } = options;
    this.id = id;
    this.#at = at;
    this.#robot = new VirtualRobot({ url: this.#link(), token, model: 'load', random: () => random.next(), clock });
    this.#robot.on('session', () => {
      this.online = true;
      this.away.at(-1)!.to = sharedNow();
      options.welcomed(this);
    });
    this.#robot.on('closed', () => this.#closed());
    this.#robot.on('settled', (command) => this.#settled(command));
    this.#robot.on('picture', ({ layer, id: picture }) => layer === 'question' && this.#answer(picture));
    this.#robot.on('violation', (what) => problem(`${id}: ${what}`));
  }

  /** Whether a tap is possible now: the screen is not touched, and no question shows, which the tap might answer. */
  get isFree(): boolean {
    return !this.#touched && this.#robot.screen.question === null;
  }

  dial(): void {
    const { problem } = this.#options;
    this.#robot.start().catch((error: unknown) => problem(`${this.id} stays away: ${error instanceof Error ? error.message : String(error)}`));
  }

  /** sharedNow() of the last loss of a session; -Infinity: never. */
  get lostAt(): number {
    return this.away.at(-1)!.from;
  }

  /** Makes the next tap, at a place of its own. Returns its number. */
  tap(): number {
    const n = ++this.#taps;
    const { x, y } = placeOf(n);
    this.#tapAt(x, y);
    return n;
  }

  #tapAt(x: number, y: number): void {
    this.#touched = true;
    void this.#robot.tap(x, y).finally(() => (this.#touched = false));
  }

  stop(): Promise<void> {
    return this.#robot.stop();
  }

  #settled({ id, name, args, outcome }: ReceivedCommand): void {
    if (outcome !== 'done') return;
    this.done += 1;
    const mark = markOf(name, args);
    if (mark === null) return;
    const before = this.marks.get(mark);
    this.marks.set(mark, id);
    if (before === undefined) return;
    this.doubled += 1;
    this.#options.problem(`${this.id} did ${mark} twice: ${before}, ${id}`);
  }

  #answer(question: string): void {
    const [least, most] = this.#options.answerAfterMs;
    setTimeout(() => this.#tapAnswer(question), Math.max(countsAfterMs, this.#options.random.between(least, most))).unref();
  }

  #tapAnswer(question: string): void {
    if (this.#robot.screen.question?.id !== question) return;
    if (this.#touched) {
      setTimeout(() => this.#tapAnswer(question), untouchedAfterMs).unref();
      return;
    }
    this.answeredAt = sharedNow();
    this.#tapAt(answerAt.x, answerAt.y);
  }

  #closed(): void {
    // The next connection goes to another robot-link, as behind a load balancer.
    this.#at += 1;
    this.#robot.dialAt(this.#link());
    if (!this.online) return;
    this.online = false;
    this.away.push({ from: sharedNow(), to: Infinity });
    this.#options.lost();
  }

  #link(): string {
    const { links } = this.#options;
    return links[this.#at % links.length]!;
  }
}
