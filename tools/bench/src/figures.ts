import { allRows, boundText, meets, type RowName, type RowSpec } from './goals.js';
import { measured } from './statistics.js';

export interface Row {
  name: RowName;
  /** Median of the rounds; null: not measured. */
  figure: number | null;
  unit: string;
  goal: string | null;
  note: string | null;
  /** null: no goal, or not measured in this run. */
  met: boolean | null;
  of: string | null;
  /** Lowest and highest round. */
  spread: [number, number] | null;
  values: number[];
}

export class Figures {
  readonly #values = new Map<string, readonly number[]>();
  readonly #left = new Set<string>();

  set(name: RowName, values: readonly number[]): void {
    if (this.#values.has(name)) throw new Error(`measured twice: ${name}`);
    this.#values.set(name, values);
  }

  /** This plan measures too little for these rows. */
  leaveToWholeRun(...names: readonly RowName[]): void {
    for (const name of names) this.#left.add(name);
  }

  get(name: RowName): readonly number[] {
    return this.#values.get(name) ?? [];
  }

  rows(): Row[] {
    return allRows.map((spec) => rowOf(spec, this.#values.get(spec.name) ?? [], this.#left.has(spec.name)));
  }
}

function rowOf({ name, unit, bound, of }: RowSpec, values: readonly number[], isLeft: boolean): Row {
  const note = isLeft ? 'only in the whole run' : null;
  const base = { name: name as RowName, unit, goal: boundText(bound), note, of, values: values.map(rounded) };
  if (values.length === 0) return { ...base, figure: null, met: null, spread: null };
  // The divisor was 0: too little was measured for the resolution of the clock.
  if (!values.every(Number.isFinite)) return { ...base, figure: null, met: bound === null ? null : false, spread: null, values: [] };
  const { figure, spread } = measured(values);
  const shown = rounded(figure);
  return { ...base, figure: shown, met: bound === null ? null : meets(shown, bound), spread: [rounded(spread[0]), rounded(spread[1])] };
}

/** Three decimals below 1, two below 100, none above: more would be noise. */
function rounded(value: number): number {
  const digits = Math.abs(value) < 1 ? 3 : Math.abs(value) < 100 ? 2 : 0;
  return Number(value.toFixed(digits));
}
