/** What the rounds say of a goal. */
import type { Bound } from './goals.js';
import { interval } from './statistics.js';

export type Verdict = 'met' | 'not met' | 'undecided';

/** Counted, not measured: the same in each round but for what a system does by the clock. All others need several rounds. */
const counts = new Set([
  'round trips',
  'commands',
  'commands/action',
  'commands/30 s',
  'connections',
  'jobs',
  'answers',
  'bytes/action',
  'kB/picture',
]);

export interface Judged {
  verdict: Verdict;
  /** That of 95 % confidence; null where there is none: of a count, or of one round. */
  interval: [number, number] | null;
}

/**
 * A goal is met or not met if the whole interval of the rounds says so, and undecided where the bound lies within it.
 * @param figure as it is shown: a count is judged by it
 */
export function judge(figure: number, values: readonly number[], unit: string, bound: Bound): Judged {
  if (counts.has(unit) || 'exactly' in bound) return { verdict: meets(figure, bound) ? 'met' : 'not met', interval: null };
  if (values.length < 2) return { verdict: 'undecided', interval: null };
  const ends = interval(values);
  const said = ends.map((end) => meets(end, bound));
  return { verdict: said[0] !== said[1] ? 'undecided' : said[0] ? 'met' : 'not met', interval: ends };
}

export function meets(figure: number, bound: Bound): boolean {
  if ('atMost' in bound) return figure <= bound.atMost;
  if ('atLeast' in bound) return figure >= bound.atLeast;
  return figure === bound.exactly;
}
