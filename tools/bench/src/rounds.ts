/** Rounds that were made on a quiet machine; others are dropped and repeated. */
import { cpuMsOf, processorTimes } from './operating-system.js';

/** Bounds of a round on a quiet machine. */
export const quiet = { calibrator: 1.3, foreign: 0.05, stolen: 0.01 } as const;

/** State of the machine during a round. */
export interface Conditions {
  /** ms of the calibrator. */
  calibratorMs: number;
  /** Share of all processors that went to programs that are not the bench's. */
  foreign: number;
  /** Share that the host gave to other guests. */
  stolen: number;
}

export interface RoundsOptions {
  /** Number of good rounds. */
  count: number;
  /** In all, also those that are dropped. */
  most: number;
  calibratorMs: () => Promise<number>;
  /** Default: this machine. @returns a function that tells what happened since */
  watch?: () => () => Omit<Conditions, 'calibratorMs'>;
}

export interface Rounds<T> {
  /** The wanted number of rounds: good ones, or the least disturbed if these are too few. */
  results: T[];
  good: number;
  /** Rounds made, also those that were dropped. */
  made: number;
  /** Names what disturbed the other rounds, such as `the calibrator was slow in 9, other guests of the host ran in 2`; empty if nothing did. */
  disturbances: string;
}

interface Disturbance {
  what: string;
  /** How many times the bound it is; `best`: of the calibrator in the whole run. */
  ofBound: (conditions: Conditions, best: number) => number;
}

const disturbances: readonly Disturbance[] = [
  { what: 'the calibrator was slow in', ofBound: ({ calibratorMs }, best) => calibratorMs / (quiet.calibrator * best) },
  { what: 'other programs ran in', ofBound: ({ foreign }) => foreign / quiet.foreign },
  { what: 'other guests of the host ran in', ofBound: ({ stolen }) => stolen / quiet.stolen },
];

/** @returns the largest of the disturbances; up to 1: quiet @param best of the calibrator in the whole run */
function disturbed(conditions: Conditions, best: number): number {
  return Math.max(...disturbances.map(({ ofBound }) => ofBound(conditions, best)));
}

export function isQuiet(conditions: Conditions, best: number): boolean {
  return disturbed(conditions, best) <= 1;
}

/** Repeats rounds of a busy machine, within bounds. */
export class RoundMaker {
  readonly #options: RoundsOptions;
  #best = Infinity;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** @param round is called with its number, from 0 */
  async make<T>(round: (number: number) => Promise<T>): Promise<Rounds<T>> {
    const { count, most } = this.#options;
    const made: { result: T; conditions: Conditions }[] = [];
    const good = (): typeof made => made.filter(({ conditions }) => isQuiet(conditions, this.#best));
    while (good().length < count && made.length < most) made.push(await this.#one(() => round(made.length)));
    const goodOnes = good();
    const others = made
      .filter((each) => !goodOnes.includes(each))
      .toSorted((a, b) => disturbed(a.conditions, this.#best) - disturbed(b.conditions, this.#best));
    const taken = [...goodOnes, ...others].slice(0, count);
    return {
      results: made.filter((each) => taken.includes(each)).map(({ result }) => result),
      good: goodOnes.length,
      made: made.length,
      disturbances: this.#disturbances(others.map(({ conditions }) => conditions)),
    };
  }

  async #one<T>(round: () => Promise<T>): Promise<{ result: T; conditions: Conditions }> {
    const { watch = watchMachine, calibratorMs: calibrate } = this.#options;
    const happened = watch();
    const calibratorMs = await calibrate();
    const result = await round();
    this.#best = Math.min(this.#best, calibratorMs);
    return { result, conditions: { calibratorMs, ...happened() } };
  }

  #disturbances(busy: readonly Conditions[]): string {
    return disturbances
      .map(({ what, ofBound }) => ({ what, count: busy.filter((each) => ofBound(each, this.#best) > 1).length }))
      .flatMap(({ what, count }) => (count > 0 ? [`${what} ${count}`] : []))
      .join(', ');
  }
}

/** Each round begins with another variant, so that none is always the first after a pause. */
export function turned<T>(all: readonly T[], round: number): T[] {
  const turn = round % all.length;
  return [...all.slice(turn), ...all.slice(0, turn)];
}

function watchMachine(): () => Omit<Conditions, 'calibratorMs'> {
  const before = processorTimes();
  const ownBefore = cpuMsOf([process.pid]);
  return () => {
    const own = cpuMsOf([process.pid]) - ownBefore;
    const after = processorTimes();
    const all = Math.max(1, after.all - before.all);
    return { foreign: Math.max(0, after.busy - before.busy - own) / all, stolen: (after.stolen - before.stolen) / all };
  };
}
