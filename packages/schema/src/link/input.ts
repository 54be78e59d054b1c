/** What the robot's sensors of people report, raw: one message kind a row of robot-link.md's table. */
import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import { oneOf } from '../validation/open-object.js';
import { inputNumber, linkMessage, robotClock } from './fields.js';

const heldMs = () => Type.Number({ minimum: 0, description: 'How long it was held.' });
const zone = () => Type.Integer({ minimum: 0, maximum: 255, description: 'Zone of the head, from the front, 0 first.' });
const uid = () => Type.String({ pattern: '^[0-9a-fA-F]{2,64}$', description: 'Hex.' });
const sample = () => Type.Unsafe<[x: number, y: number, z: number]>({ type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 });
const point = { x: Type.Number(), y: Type.Number() };

function input<const K extends string, P extends TProperties>(kind: K, properties: P, description: string, rules: object = {}) {
  const head = { seq: inputNumber('Counts from 1 per boot.'), ms: robotClock(), kind: Type.Literal(kind) };
  return linkMessage('in', { ...head, ...properties }, description, rules);
}

/** A rule that asks for all fields of at least one of these sets. */
function eitherOf(...sets: string[][]): object {
  // ajv's strict mode wants each required name among the properties of the same subschema.
  return { anyOf: sets.map((required) => ({ properties: Object.fromEntries(required.map((name) => [name, {}])), required })) };
}

export const inputSchemas = {
  touch_down: input('touch_down', point, 'A finger came down on the screen.'),
  touch_up: input('touch_up', { ...point, held_ms: heldMs(), sprite: Type.Optional(Type.String({ maxLength: 64 })) }, 'It went up.'),
  head_down: input('head_down', { zone: zone() }, 'A touch on the head began.'),
  head_up: input('head_up', { zone: zone(), held_ms: heldMs() }, 'It ended.'),
  head_swipe: input('head_swipe', { zone: Type.Optional(zone()), dir: oneOf(['forward', 'back']) }, 'A finger went along the head.'),
  imu_burst: input(
    'imu_burst',
    {
      hz: Type.Number({ exclusiveMinimum: 0 }),
      samples: Type.Array(sample(), { minItems: 1, maxItems: 1024, description: '[x, y, z] in g.' }),
    },
    "Acceleration around a motion interrupt; ms is the last sample's.",
  ),
  prox: input('prox', { raw: Type.Number() }, 'Proximity, at 10 Hz while it changes and for 1 s after.'),
  nfc_in: input(
    'nfc_in',
    {
      uid: uid(),
      type: Type.Optional(Type.String({ maxLength: 64 })),
      ndef_b64: Type.Optional(Type.String({ description: "The sticker's NDEF message, base64." })),
    },
    'A tag or card came near.',
  ),
  nfc_out: input('nfc_out', { uid: uid(), type: Type.Optional(Type.String({ maxLength: 64 })) }, 'It went away.'),
  ir: input(
    'ir',
    {
      raw_us: Type.Optional(Type.Array(Type.Number({ minimum: 0 }), { minItems: 1, maxItems: 2048, description: 'Marks and spaces, microseconds.' })),
      address: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'NEC address, decoded by the robot.' })),
      command: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'NEC command, decoded by the robot.' })),
    },
    'A button of an infrared remote: raw_us, or address and command where the robot decodes NEC itself. Decoded fields win where both are given.',
    eitherOf(['raw_us'], ['address', 'command']),
  ),
  power_key: input(
    'power_key',
    {
      held_ms: Type.Optional(heldMs()),
      press: Type.Optional(oneOf(['short', 'long'], { description: 'For a robot whose power chip measures the press itself.' })),
    },
    'The power button was pressed and released: held_ms or press; press wins where both are given.',
    eitherOf(['held_ms'], ['press']),
  ),
  usb: input('usb', { present: Type.Boolean() }, 'The USB cable.'),
} as const;

export type InputKind = keyof typeof inputSchemas;
export const inputKinds = Object.keys(inputSchemas) as InputKind[];

/** A kind of a later version: it yields nothing but has its number and is acked. */
export const UnknownInputSchema = input('unknown', {}, 'A kind of a later version.');

type InputMap = { [K in InputKind]: Static<(typeof inputSchemas)[K]> };
/**
 * An input with a readable number whose other fields do not fit. It yields no event but is acknowledged like any other input: closing the
 * session instead would make the robot send it again after each reconnect and never get past it.
 */
export interface UnreadableInput {
  t: 'in';
  seq: number;
  /** null where `ms` itself is unreadable. */
  ms: number | null;
  kind: 'unreadable';
  /** The kind it claims to be; `unknown` where that is not in the table. */
  of: InputKind | 'unknown';
  problem: string;
}
export type Input = InputMap[InputKind] | Static<typeof UnknownInputSchema> | UnreadableInput;
export type InputOf<K extends InputKind> = InputMap[K];

/** What every input has, whatever its kind. */
export const InputHeadSchema = linkMessage(
  'in',
  { seq: inputNumber('Counts from 1 per boot.'), ms: robotClock(), kind: Type.String() },
  'An input of any kind.',
);

export const InAckSchema = linkMessage('in_ack', { seq: Type.Integer({ minimum: 0 }) }, 'Everything up to seq is stored or has settled a wait.');
export type InAck = Static<typeof InAckSchema>;
