import { allRows, boundText, type RowName, type RowSpec } from './goals.js';
import { interval, measured } from './statistics.js';
import { judge, type Verdict } from './verdict.js';

export interface Row {
  name: RowName;
  /** Median of the rounds; null: not measured. */
  figure: number | null;
  unit: string;
  goal: string | null;
  note: string | null;
  /** null: undecided, no goal, or not measured in this run. */
  met: boolean | null;
  /** null: no goal, or not measured in this run. */
  verdict: Verdict | null;
  of: string | null;
  /** Lowest and highest round. */
  spread: [number, number] | null;
  /** Interval of 95 % confidence, from the rounds; null: one round. */
  interval: [number, number] | null;
  values: number[];
}

interface Found {
  values: readonly number[];
  /** Why the rounds decide nothing; null: they do. */
  doubt: string | null;
}

const onlyWhole = 'only in the whole run';

export class Figures {
  readonly #found = new Map<string, Found>();
  readonly #left = new Map<string, string>();
  /** Why no round of what is set from now on decides about a goal, unless it is a count: the machine was not quiet. */
  doubt: string | null = null;

  set(name: RowName, values: readonly number[]): void {
    if (this.#found.has(name)) throw new Error(`measured twice: ${name}`);
    this.#found.set(name, { values, doubt: this.doubt });
  }

  /** This plan measures too little for these rows. */
  leaveToWholeRun(...names: readonly RowName[]): void {
    this.leave(onlyWhole, ...names);
  }

  /** @param why shown in place of the figure */
  leave(why: string, ...names: readonly RowName[]): void {
    for (const name of names) this.#left.set(name, why);
  }

  get(name: RowName): readonly number[] {
    return this.#found.get(name)?.values ?? [];
  }

  rows(): Row[] {
    return allRows.map((spec) => rowOf(spec, this.#found.get(spec.name) ?? { values: [], doubt: null }, this.#left.get(spec.name) ?? null));
  }
}

function rowOf({ name, unit, bound, of }: RowSpec, { values, doubt }: Found, left: string | null): Row {
  const base = { name: name as RowName, unit, goal: boundText(bound), note: left, of, values: values.map(rounded) };
  const none = { figure: null, met: null, verdict: null, spread: null, interval: null };
  if (values.length === 0) return { ...base, ...none };
  // The divisor was 0: too little was measured for the resolution of the clock.
  if (!values.every(Number.isFinite)) return { ...base, ...none, ...(bound !== null && { met: false, verdict: 'not met' }), values: [] };
  const { figure, spread } = measured(values);
  const shown = rounded(figure);
  const row = { ...base, figure: shown, spread: pair(spread), interval: values.length < 2 ? null : pair(interval(values)) };
  if (bound === null) return { ...row, met: null, verdict: null };
  const { verdict, interval: decided } = judge(shown, values, unit, bound);
  const isDoubtful = doubt !== null && decided !== null;
  return isDoubtful ? { ...row, note: doubt, met: null, verdict: 'undecided' } : { ...row, met: metBy(verdict), verdict };
}

function metBy(verdict: Verdict): boolean | null {
  return verdict === 'undecided' ? null : verdict === 'met';
}

function pair([low, high]: readonly [number, number]): [number, number] {
  return [rounded(low), rounded(high)];
}

/** Three decimals below 1, two below 100, none above: more would be noise. */
function rounded(value: number): number {
  const digits = Math.abs(value) < 1 ? 3 : Math.abs(value) < 100 ? 2 : 0;
  return Number(value.toFixed(digits));
}
