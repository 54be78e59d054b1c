/** The composition of the load: the mix file (`--mix`), checked field by field, and the default mix. */
import { defaultThresholds, thresholdNames, type Thresholds } from './thresholds.js';

export const callKinds = ['leds', 'move', 'face', 'say', 'command', 'show', 'sound', 'ask', 'state'] as const;
export type CallKind = (typeof callKinds)[number];
export const readerKinds = ['poll', 'stream', 'webhook'] as const;
export type ReaderKind = (typeof readerKinds)[number];

export interface Mix {
  calls: Readonly<Record<CallKind, number>>;
  /** Weights of the ways programs receive a robot's events; every robot has one reader. */
  readers: Readonly<Record<ReaderKind, number>>;
  /** Taps per robot and minute, in addition to answers to questions. */
  taps_per_robot_minute: number;
  /** Time from a question's appearance to the tap that answers it, ms, minimum and maximum. */
  answer_after_ms: readonly [number, number];
  /** Length of a long poll. */
  poll_seconds: number;
  robots_per_account: number;
  new_card_share: number;
  /** Share of the actions that carry an Idempotency-Key. */
  keyed_share: number;
  thresholds: Thresholds;
}

export const defaultMix: Mix = {
  calls: { leds: 35, move: 15, face: 15, say: 10, command: 5, show: 8, sound: 2, ask: 5, state: 5 },
  readers: { poll: 1, stream: 1, webhook: 2 },
  taps_per_robot_minute: 0.5,
  answer_after_ms: [500, 3000],
  poll_seconds: 25,
  robots_per_account: 100,
  new_card_share: 0.25,
  keyed_share: 0.1,
  thresholds: defaultThresholds,
};

interface Range {
  from: number;
  to: number;
  whole?: true;
}

const weight: Range = { from: 0, to: 1_000_000 };
const ranges = {
  taps_per_robot_minute: { from: 0, to: 600 },
  poll_seconds: { from: 0, to: 60, whole: true },
  robots_per_account: { from: 1, to: 1000, whole: true },
  new_card_share: { from: 0, to: 1 },
  keyed_share: { from: 0, to: 1 },
} as const satisfies Partial<Record<keyof Mix, Range>>;
const answerAfterMs: Range = { from: 0, to: 10_000 };

/** Returns the default mix with the JSON's changes; weights are replaced as a whole. @throws an Error that names the wrong field */
export function readMix(text: string): Mix {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const fields = object('the file', given, Object.keys(defaultMix));
  const mix: Record<string, unknown> = { ...defaultMix };
  for (const [name, range] of Object.entries(ranges)) if (name in fields) mix[name] = number(name, fields[name], range);
  if ('calls' in fields) mix['calls'] = weights('calls', fields['calls'], callKinds);
  if ('readers' in fields) mix['readers'] = weights('readers', fields['readers'], readerKinds);
  if ('answer_after_ms' in fields) mix['answer_after_ms'] = leastAndMost('answer_after_ms', fields['answer_after_ms']);
  if ('thresholds' in fields) mix['thresholds'] = { ...defaultThresholds, ...readThresholds(fields['thresholds']) };
  return mix as unknown as Mix;
}

function readThresholds(given: unknown): Thresholds {
  const fields = object('thresholds', given, thresholdNames);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, number(`thresholds.${name}`, value, { from: 0, to: 1e9 })]));
}

function object(name: string, given: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error(`${name}: must be an object`);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new Error(`${name}: unknown field ${unknown}; known: ${known.join(', ')}`);
  return given as Record<string, unknown>;
}

function number(name: string, given: unknown, { from, to, whole }: Range): number {
  const fits = typeof given === 'number' && given >= from && given <= to && (whole !== true || Number.isInteger(given));
  if (!fits) throw new Error(`${name}: must be a ${whole === true ? 'whole ' : ''}number from ${from} to ${to}`);
  return given;
}

function weights<K extends string>(name: string, given: unknown, kinds: readonly K[]): Record<K, number> {
  const fields = object(name, given, kinds);
  const all = Object.fromEntries(kinds.map((kind) => [kind, kind in fields ? number(`${name}.${kind}`, fields[kind], weight) : 0])) as Record<
    K,
    number
  >;
  if (kinds.every((kind) => all[kind] === 0)) throw new Error(`${name}: at least one weight must be above 0`);
  return all;
}

function leastAndMost(name: string, given: unknown): [number, number] {
  if (!Array.isArray(given) || given.length !== 2) throw new Error(`${name}: must be a list of two numbers, least and most`);
  const [least, most] = given.map((each, i) => number(`${name}[${i}]`, each, answerAfterMs)) as [number, number];
  if (least > most) throw new Error(`${name}: the first number must not exceed the second`);
  return [least, most];
}
