/** Reads what a robot sends. Each `t`, and each kind of input, has its own validator, so the common messages cost little beyond JSON.parse. */
import { compile, type Validator } from '../ajv.js';
import { argumentProblem } from '../argument-problem.js';
import { AckSchema, completeAck } from './ack.js';
import type { Ack } from './ack.js';
import { completeHello, HelloSchema } from './hello.js';
import type { Hello } from './hello.js';
import { InputHeadSchema, inputSchemas } from './input.js';
import type { Input } from './input.js';
import { FlowSchema, PingSchema, PlayDoneSchema, PongSchema, SensorsSchema } from './report.js';
import type { Flow, Ping, PlayDone, Pong, Sensors } from './report.js';

/** `unknown` is a message of a later version: it counts as life and is ignored. */
export type RobotMessage = Hello | Ack | Input | Sensors | Flow | PlayDone | Ping | Pong | { t: 'unknown' };

const validators = new Map<string, Validator>([
  ['hello', compile(HelloSchema)],
  ['ack', compile(AckSchema)],
  ['sensors', compile(SensorsSchema)],
  ['flow', compile(FlowSchema)],
  ['play_done', compile(PlayDoneSchema)],
  ['ping', compile(PingSchema)],
  ['pong', compile(PongSchema)],
]);
const inputValidators = new Map<string, Validator>(Object.entries(inputSchemas).map(([kind, schema]) => [kind, compile(schema)]));
const isInput = compile(InputHeadSchema);

/**
 * One text frame of a robot, or what is wrong with it: then the session ends with 4400.
 * @param text at most 16 KB, which the caller has seen to
 */
export function parseRobotMessage(text: string): RobotMessage | { problem: string } {
  let message: { t?: unknown; kind?: unknown };
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    return { problem: 'not JSON' };
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return { problem: 'not an object' };
  const { t } = message;
  if (typeof t !== 'string') return { problem: 't: must be a string' };
  if (t === 'in') return parseInput(message);
  const fits = validators.get(t);
  if (fits === undefined) return { t: 'unknown' };
  if (!fits(message)) return { problem: explain(fits, message, t) };
  if (t === 'ack') return completeAck(message as Parameters<typeof completeAck>[0]);
  return t === 'hello' ? completeHello(message as Parameters<typeof completeHello>[0]) : (message as RobotMessage);
}

function parseInput(message: { kind?: unknown }): Input | { problem: string } {
  const fits = inputValidators.get(message.kind as string);
  if (fits !== undefined) {
    if (fits(message)) return message as Input;
    return { problem: explain(fits, message, 'in') };
  }
  if (!isInput(message)) return { problem: explain(isInput, message, 'in') };
  const { seq, ms } = message as unknown as { seq: number; ms: number };
  return { t: 'in', seq, ms, kind: 'unknown' };
}

function explain(fits: Validator, message: unknown, what: string): string {
  const { field, message: text } = argumentProblem(fits.errors, message, what);
  return field === undefined ? `${what}: ${text}` : `${what}: ${field} ${text}`;
}
