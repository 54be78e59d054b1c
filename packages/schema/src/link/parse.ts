/** Parses the text frames of robots. Each `t` and kind of input has its own validator, so that common messages cost little more than JSON.parse. */
import { compile, type Validator } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { isObject } from '../base/is-object.js';
import { AckSchema, completeAck } from './ack.js';
import type { Ack } from './ack.js';
import { completeHello, HelloSchema } from './hello.js';
import type { Hello } from './hello.js';
import { InputHeadSchema, inputSchemas } from './input.js';
import type { Input, InputKind, UnreadableInput } from './input.js';
import { FlowSchema, LogSchema, PingSchema, PlayDoneSchema, PongSchema, SensorsSchema, UpdateFailedSchema } from './report.js';
import type { Flow, Log, Ping, PlayDone, Pong, Sensors, UpdateFailed } from './report.js';

/** A known type other than `hello` and `in`, dropped and counted: a faulty sensor must not disconnect its robot at every report. */
export interface UnreadableMessage {
  t: 'unreadable';
  of: 'ack' | 'sensors' | 'flow' | 'play_done' | 'log' | 'update_failed';
  problem: string;
}

/** `unknown` is a message of a later version: it keeps the session alive and is otherwise ignored. */
export type RobotMessage = Hello | Ack | Input | Sensors | Flow | PlayDone | Log | UpdateFailed | Ping | Pong | UnreadableMessage | { t: 'unknown' };

const validators = new Map<string, Validator>([
  ['hello', compile(HelloSchema)],
  ['ack', compile(AckSchema)],
  ['sensors', compile(SensorsSchema)],
  ['flow', compile(FlowSchema)],
  ['play_done', compile(PlayDoneSchema)],
  ['log', compile(LogSchema)],
  ['update_failed', compile(UpdateFailedSchema)],
  ['ping', compile(PingSchema)],
  ['pong', compile(PongSchema)],
]);
const inputValidators = new Map<string, Validator>(Object.entries(inputSchemas).map(([kind, schema]) => [kind, compile(schema)]));
const isInput = compile(InputHeadSchema);

/**
 * A `problem` ends the session with 4400: no JSON object with a string `t`, an invalid `hello`, or input without a valid `seq`. Other invalid
 * messages are `unreadable`. @param text at most 16 KB, checked by the caller
 */
export function parseRobotMessage(text: string): RobotMessage | { problem: string } {
  let message: { t?: unknown; kind?: unknown };
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    return { problem: 'not JSON' };
  }
  if (!isObject(message)) return { problem: 'not an object' };
  const { t } = message;
  if (typeof t !== 'string') return { problem: 't: must be a string' };
  if (t === 'in') return parseInput(message);
  const fits = validators.get(t);
  if (fits === undefined) return { t: 'unknown' };
  if (!fits(message)) {
    const problem = explain(fits, message, t);
    return t === 'hello' ? { problem } : { t: 'unreadable', of: t as UnreadableMessage['of'], problem };
  }
  if (t === 'ack') return completeAck(message as Parameters<typeof completeAck>[0]);
  return t === 'hello' ? completeHello(message as Parameters<typeof completeHello>[0]) : (message as RobotMessage);
}

function parseInput(message: { kind?: unknown }): Input | { problem: string } {
  const { kind } = message;
  const fits = inputValidators.get(kind as string);
  if (fits === undefined) {
    if (!isInput(message)) return unreadableInput(message, 'unknown', explain(isInput, message, 'in'));
    const { seq, ms } = message as unknown as { seq: number; ms: number };
    return { t: 'in', seq, ms, kind: 'unknown' };
  }
  return fits(message) ? (message as Input) : unreadableInput(message, kind as InputKind, explain(fits, message, 'in'));
}

function unreadableInput(
  message: { seq?: unknown; ms?: unknown },
  of: UnreadableInput['of'],
  problem: string,
): UnreadableInput | { problem: string } {
  const { seq, ms } = message;
  if (!Number.isSafeInteger(seq) || (seq as number) < 1) return { problem };
  const clock = typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : null;
  return { t: 'in', seq: seq as number, ms: clock, kind: 'unreadable', of, problem };
}

function explain(fits: Validator, message: unknown, what: string): string {
  const { field, message: text } = argumentProblem(fits.errors, message, what);
  return field === undefined ? `${what}: ${text}` : `${what}: ${field} ${text}`;
}
