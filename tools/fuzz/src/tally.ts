export interface Violation {
  target: string;
  what: string;
  /** curl, printf | nc, or frames. */
  request: string;
  answer: string;
  /** Seed of the run, and number of the request within its target. */
  seed: number;
  index: number;
}

const toldMax = 50;
const requestCharsMax = 4000;
const slowestKept = 5;

export class Tally {
  readonly requests: Record<string, number> = {};
  readonly statuses: Record<string, Record<string, number>> = {};
  readonly violations: Violation[] = [];
  violationCount = 0;
  /** Accounts cannot be removed. */
  keysLeft = 0;
  readonly #tookMs = new Map<string, number[]>();
  /** Not held open, slowest first. */
  readonly slowest: Record<string, { ms: number; what: string }[]> = {};

  sent(target: string, count = 1): void {
    this.requests[target] = (this.requests[target] ?? 0) + count;
  }

  answered(target: string, how: string, tookMs = 0, what = ''): void {
    const statuses = (this.statuses[target] ??= {});
    statuses[how] = (statuses[how] ?? 0) + 1;
    if (tookMs > 0) this.#tookOf(target).push(tookMs);
    const slowest = (this.slowest[target] ??= []);
    if (tookMs <= (slowest[slowestKept - 1]?.ms ?? 0)) return;
    slowest.push({ ms: Math.round(tookMs), what: `${how}: ${what.slice(0, 200)}` });
    slowest.sort((a, b) => b.ms - a.ms).splice(slowestKept);
  }

  p99(): Record<string, number> {
    const last = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
    return Object.fromEntries([...this.#tookMs].map(([target, values]) => [target, Math.round(last(values))]));
  }

  #tookOf(target: string): number[] {
    const known = this.#tookMs.get(target) ?? [];
    this.#tookMs.set(target, known);
    return known;
  }

  left(keys: number): void {
    this.keysLeft += keys;
  }

  violated(violation: Violation): void {
    this.violationCount++;
    if (this.violations.length >= toldMax) return;
    const { request } = violation;
    const cut = request.length <= requestCharsMax ? request : `${request.slice(0, requestCharsMax)}... (${request.length} characters)`;
    this.violations.push({ ...violation, request: cut, answer: violation.answer.slice(0, 500) });
  }

  count(fits: (how: string) => boolean): number {
    return Object.values(this.statuses)
      .flatMap((statuses) => Object.entries(statuses))
      .reduce((sum, [how, count]) => (fits(how) ? sum + count : sum), 0);
  }
}
