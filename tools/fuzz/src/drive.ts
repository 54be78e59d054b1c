import fc from 'fast-check';
import type { Tally } from './tally.js';

export interface Problem {
  what: string;
  request: string;
  answer: string;
}

export interface Drive<T> {
  target: string;
  arbitrary: fc.Arbitrary<T>;
  first?: readonly T[];
  count: number;
  seed: number;
  inFlight: number;
  send: (value: T) => Promise<Problem | null>;
  tally: Tally;
}

/** The other violations are reported as they are. */
const shrunkMax = 8;
const shrinkMs = 4000;

export async function drive<T>({ target, arbitrary, first = [], count, seed, inFlight, send, tally }: Drive<T>): Promise<void> {
  let next = 0;
  let shrunk = 0;
  const one = async (index: number): Promise<void> => {
    const given = first[index];
    const value = given ?? generated(arbitrary, seed, index);
    const problem = await attempt(send, value);
    if (problem === null) return;
    const small = given === undefined && shrunk++ < shrunkMax ? await smaller(arbitrary, seed, index, send) : null;
    tally.violated({ target, ...(small ?? problem), seed, index });
  };
  const worker = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Always the same for a seed and an index. */
export function generated<T>(arbitrary: fc.Arbitrary<T>, seed: number, index: number): T {
  return fc.sample(arbitrary, { seed: seedOf(seed, index), numRuns: 1 })[0]!;
}

/** Neighbouring indices give unrelated values. */
function seedOf(seed: number, index: number): number {
  return (Math.imul(seed ^ (index * 0x9e37_79b1), 0x85eb_ca6b) ^ (index << 7)) | 0;
}

async function attempt<T>(send: (value: T) => Promise<Problem | null>, value: T): Promise<Problem | null> {
  try {
    return await send(value);
  } catch (error) {
    return { what: `no answer: ${error instanceof Error ? error.message : String(error)}`, request: '', answer: '' };
  }
}

/** By fast-check's shrinking from the same seed; null if none is found in time. */
async function smaller<T>(
  arbitrary: fc.Arbitrary<T>,
  seed: number,
  index: number,
  send: (value: T) => Promise<Problem | null>,
): Promise<Problem | null> {
  let least: Problem | null = null;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    const problem = await attempt(send, value);
    if (problem === null) return;
    least = problem;
    throw new Error(problem.what);
  });
  await fc.check(property, { seed: seedOf(seed, index), numRuns: 1, interruptAfterTimeLimit: shrinkMs });
  return least;
}
