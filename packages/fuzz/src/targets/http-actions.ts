/**
 * Every action with arguments at, just inside and just outside every bound of its served schema: one change at a time, then several at random.
 * What the schema takes must not be refused for an argument; what it refuses must be 400 and name one that is wrong.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { drive, type Problem } from '../drive.js';
import { isRecord, jsonText, withAt } from '../generate/json.js';
import { basesOf, mutantsOf, type Mutant } from '../generate/mutants.js';
import { HttpClient } from '../http/http-client.js';
import { actionProblem } from '../judge.js';
import { verdictOf, type OwnCommands, type Verdict } from '../oracle.js';
import { servedActions, type ServedAction } from '../served.js';
import { secret } from '../stage.js';
import type { Attack, Target } from './target.js';

export const httpActions: Target = { name: 'http-actions', group: 'http', share: 0.75, attack: attackActions };

/** An action, one of its bodies that fit, and what is changed about it, in order. */
interface Sent {
  action: number;
  base: number;
  changes: readonly Change[];
}
/** A mutant of that base, or any JSON at an argument. */
type Change = { mutant: number } | { argument: number; json: unknown };

interface Subject {
  served: ServedAction;
  bases: { body: Record<string, unknown>; mutants: Mutant[] }[];
  argumentNames: string[];
}

const inFlight = 40;
/** A wait that nobody wants ends soon; one that asks for longer is given up. */
const shortWaitS = 0.03;
const hangUpMs = 700;

async function attackActions({ stage, tally, seed, requests, say }: Attack): Promise<null> {
  const key = stage.keys[0]!;
  const subjects = (await servedActions(stage.gateway.address, key)).map(subjectOf);
  const own = await ownCommands(stage.gateway.address, key, stage.robots[0]!.id);
  const client = new HttpClient(stage.gateway.address);
  const each = systematic(subjects);
  say(`http-actions: ${Math.min(each.length, requests)} single changes of ${each.length}, then ${Math.max(0, requests - each.length)} at random`);
  let robot = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { served, text, what } = bodyOf(subjects, sent);
    const verdict = verdictOf(served, text, own);
    const to = stage.robots[robot++ % stage.robots.length]!.id;
    const path = `/v1/robots/${to}/${served.name}`;
    const answer = await client.post({ path, key: stage.nextKey(), body: text }, mayBeHeld(verdict) ? hangUpMs : null);
    tally.sent('http-actions');
    if (answer === null) {
      tally.answered('http-actions', 'held until we hung up');
      return null;
    }
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1];
    tally.answered('http-actions', answer.status === 200 ? '200' : `${answer.status} ${code}`, answer.tookMs, `${served.name}, ${what}`);
    const problem = actionProblem(served, verdict, answer, secret);
    if (problem === null) return null;
    return { what: `${served.name}, ${what}: ${problem}`, request: curl(path, text), answer: `${answer.status} ${answer.text}` };
  }

  try {
    await drive({
      target: 'http-actions',
      arbitrary: arbitraryOf(subjects),
      first: shuffled(each, seed),
      count: requests,
      seed,
      inFlight,
      send,
      tally,
    });
  } finally {
    await client.close();
  }
  return null;
}

function subjectOf(served: ServedAction): Subject {
  const bases = basesOf(served.args, served.examples).map((example) => {
    const body = served.args.properties?.['timeout_s'] === undefined ? example : { ...example, timeout_s: shortWaitS };
    return { body, mutants: mutantsOf(served.args, body) };
  });
  return { served, bases, argumentNames: Object.keys(served.args.properties ?? {}) };
}

/** Every base as it is, and with each of its single changes. */
function systematic(subjects: readonly Subject[]): Sent[] {
  return subjects.flatMap(({ bases }, action) =>
    bases.flatMap(({ mutants }, base) => [{ action, base, changes: [] }, ...mutants.map((_, mutant) => ({ action, base, changes: [{ mutant }] }))]),
  );
}

/** In an order of the seed, so that the first of them are of every kind. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  const [order] = fc.sample(fc.shuffledSubarray([...values.keys()], { minLength: values.length }), { seed, numRuns: 1 });
  return order!.map((i) => values[i]!);
}

function arbitraryOf(subjects: readonly Subject[]): fc.Arbitrary<Sent> {
  return fc.nat(subjects.length - 1).chain((action) => {
    const { bases, argumentNames } = subjects[action]!;
    return fc.nat(bases.length - 1).chain((base) => {
      const mutant = fc.record({ mutant: fc.nat(bases[base]!.mutants.length - 1) });
      const anything = fc.record({ argument: fc.nat(Math.max(0, argumentNames.length - 1)), json: anyJson });
      const change = argumentNames.length === 0 ? mutant : fc.oneof({ weight: 3, arbitrary: mutant }, { weight: 1, arbitrary: anything });
      return fc.record({ action: fc.constant(action), base: fc.constant(base), changes: fc.array(change, { maxLength: 4 }) });
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

function bodyOf(subjects: readonly Subject[], { action, base, changes }: Sent): { served: ServedAction; text: string; what: string } {
  const { served, bases, argumentNames } = subjects[action]!;
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

/** What is refused is refused at once, however long it would have been held. */
function mayBeHeld(verdict: Verdict): boolean {
  return verdict.kind === 'taken' && verdict.heldMs > hangUpMs / 2;
}

/** @throws where the robot's state does not come */
async function ownCommands(base: string, key: string, robot: string): Promise<OwnCommands> {
  const response = await fetch(`${base}/v1/robots/${robot}`, { headers: { authorization: `Bearer ${key}` } });
  const { commands } = (await response.json()) as { commands: { name: string; args: object }[] };
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false, ownProperties: true });
  return new Map(
    commands.map(({ name, args }) => {
      const fits = ajv.compile(args);
      return [name, (sent: unknown) => fits(sent)];
    }),
  );
}

function curl(path: string, text: string): string {
  return `curl -sS "$BASE${path}" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' --data-binary '${text.replaceAll("'", `'\\''`)}'`;
}
