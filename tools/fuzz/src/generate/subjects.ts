/** Every valid body with each single change, in an order given by the seed; then several random changes. */
import fc from 'fast-check';
import type { ServedAction } from '../served.js';
import { isRecord, jsonText, withAt } from './json.js';
import { basesOf, mutantsOf, type Mutant } from './mutants.js';
import { scenesOf, stepMutants } from './scenes.js';

export interface Sent {
  subject: number;
  base: number;
  changes: readonly Change[];
}
type Change = { mutant: number } | { argument: number; json: unknown };

export interface Subject {
  served: ServedAction;
  bases: { body: Record<string, unknown>; mutants: Mutant[] }[];
  argumentNames: string[];
}

const shortWaitS = 0.03;

/** @param fixed replace arguments of the examples */
export function subjectOf(served: ServedAction, fixed: Record<string, unknown> = {}): Subject {
  const started = (body: Record<string, unknown>): Record<string, unknown> => ({ ...soonOver(served, body), ...fixed });
  const shown = basesOf(served.args, served.examples).map(started);
  const bases = [
    ...shown.map((body) => ({ body, mutants: mutantsOf(served.args, body) })),
    // Scenes differ only in their last action.
    ...scenesOf(served)
      .map(started)
      .map((body) => ({ body, mutants: stepMutants(served, body) })),
  ];
  return { served, bases, argumentNames: Object.keys(served.args.properties ?? {}) };
}

function soonOver({ args, steps }: ServedAction, body: Record<string, unknown>): Record<string, unknown> {
  const { actions } = body;
  if (args.properties?.['timeout_s'] !== undefined) return { ...body, timeout_s: shortWaitS };
  if (steps === null || !Array.isArray(actions)) return body;
  return { ...body, actions: actions.map((step: Record<string, unknown>) => soonOver(steps.get(String(step['action']))!, step)) };
}

export function systematic(subjects: readonly Subject[]): Sent[] {
  return subjects.flatMap(({ bases }, subject) =>
    bases.flatMap(({ mutants }, base) => [{ subject, base, changes: [] }, ...mutants.map((_, mutant) => ({ subject, base, changes: [{ mutant }] }))]),
  );
}

/** The first ones are of every kind. */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const [order] = fc.sample(fc.shuffledSubarray([...values.keys()], { minLength: values.length }), { seed, numRuns: 1 });
  return order!.map((i) => values[i]!);
}

export function arbitraryOf(subjects: readonly Subject[]): fc.Arbitrary<Sent> {
  return fc.nat(subjects.length - 1).chain((subject) => {
    const { bases, argumentNames } = subjects[subject]!;
    return fc.nat(bases.length - 1).chain((base) => {
      const mutant = fc.record({ mutant: fc.nat(bases[base]!.mutants.length - 1) });
      const anything = fc.record({ argument: fc.nat(Math.max(0, argumentNames.length - 1)), json: anyJson });
      const change = argumentNames.length === 0 ? mutant : fc.oneof({ weight: 3, arbitrary: mutant }, { weight: 1, arbitrary: anything });
      return fc.record({ subject: fc.constant(subject), base: fc.constant(base), changes: fc.array(change, { maxLength: 4 }) });
    });
  });
}

const anyJson = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
);

export function bodyOf(subjects: readonly Subject[], { subject, base, changes }: Sent): { served: ServedAction; text: string; what: string } {
  const { served, bases, argumentNames } = subjects[subject]!;
  const { body: start, mutants } = bases[base]!;
  let body: unknown = start;
  const told: string[] = [];
  for (const change of changes) {
    if ('mutant' in change) {
      body = mutants[change.mutant]!.change(body);
      told.push(mutants[change.mutant]!.what);
    } else {
      const name = argumentNames[change.argument]!;
      body = isRecord(body) ? withAt(body, [name], change.json) : change.json;
      told.push(`${name}: ${JSON.stringify(change.json)?.slice(0, 60)}`);
    }
  }
  return { served, text: jsonText(body), what: told.join('; ') || 'as it fits' };
}
