export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new Error('a percentile of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const at = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low + (high - low) * (at - Math.floor(at));
}

export interface Measured {
  figure: number;
  spread: [number, number];
}

export function measured(values: readonly number[]): Measured {
  return { figure: median(values), spread: [Math.min(...values), Math.max(...values)] };
}

/** Both were measured on the same machine in the same minute. @returns none if the other was not measured */
export function ratios(of: readonly number[], against: readonly number[]): number[] {
  return against.length === 0 ? [] : of.map((value, round) => value / against[round]!);
}

/** By degrees of freedom from 1 (97.5 %); beyond the list the normal distribution is close enough. */
const studentT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1, 2.09, 2.09];

/** 95 % confidence interval of the mean: of the geometric one if all values are above 0. @param values at least two */
export function interval(values: readonly number[]): [number, number] {
  const geometric = values.every((value) => value > 0);
  const scaled = geometric ? values.map(Math.log) : values;
  const mean = scaled.reduce((sum, value) => sum + value, 0) / scaled.length;
  const variance = scaled.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (scaled.length - 1);
  const margin = (studentT[scaled.length - 2] ?? 1.96) * Math.sqrt(variance / scaled.length);
  const ends: [number, number] = [mean - margin, mean + margin];
  return geometric ? [Math.exp(ends[0]), Math.exp(ends[1])] : ends;
}
