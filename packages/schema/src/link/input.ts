import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import { oneOf } from '../base/open-object.js';
import { inputNumber, linkMessage, robotClock } from './fields.js';

const heldMs = () => Type.Number({ minimum: 0, description: 'How long it was held, in ms.' });
const zone = () => Type.Integer({ minimum: 0, maximum: 255, description: 'Zone of the head, counted from the front, from 0.' });
const uid = () =>
  Type.String({
    pattern: '^[0-9a-fA-F]{2}([ :-]?[0-9a-fA-F]{2}){0,31}$',
    description: 'Hex, two digits for each byte. Events have lower-case digits without separators.',
  });
const sample = () => Type.Unsafe<[x: number, y: number, z: number]>({ type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 });
const point = { x: Type.Number(), y: Type.Number() };

function input<const K extends string, P extends TProperties>(kind: K, properties: P, description: string, rules: object = {}) {
  const head = { seq: inputNumber('Counts from 1 per boot.'), ms: robotClock(), kind: Type.Literal(kind) };
  return linkMessage('in', { ...head, ...properties }, description, rules);
}

function eitherOf(...sets: string[][]): object {
  // ajv's strict mode wants each required name among the properties of the same subschema.
  return { anyOf: sets.map((required) => ({ properties: Object.fromEntries(required.map((name) => [name, {}])), required })) };
}

export const inputSchemas = {
  touch_down: input(
    'touch_down',
    {
      ...point,
      dark: Type.Optional(Type.Boolean({ description: 'The screen could not be read as the touch began, which lit it: the touch answers nothing.' })),
    },
    'A finger touched the screen.',
  ),
  touch_up: input('touch_up', { ...point, held_ms: heldMs(), sprite: Type.Optional(Type.String({ maxLength: 64 })) }, 'The finger left the screen.'),
  head_down: input('head_down', { zone: zone() }, 'A touch on the head began.'),
  head_up: input('head_up', { zone: zone(), held_ms: heldMs() }, 'The touch on the head ended.'),
  head_swipe: input('head_swipe', { zone: Type.Optional(zone()), dir: oneOf(['forward', 'back']) }, 'A finger moved along the head.'),
  imu_burst: input(
    'imu_burst',
    {
      hz: Type.Number({ exclusiveMinimum: 0 }),
      samples: Type.Array(sample(), { minItems: 1, maxItems: 1024, description: '[x, y, z] in g.' }),
    },
    'Acceleration around a motion interrupt; ms is the time of the last sample.',
  ),
  prox: input('prox', { raw: Type.Number() }, 'Proximity, at 10 Hz while it changes and for 1 s after.'),
  nfc_in: input(
    'nfc_in',
    {
      uid: uid(),
      type: Type.Optional(Type.String({ maxLength: 64 })),
      ndef_b64: Type.Optional(
        Type.String({ description: "The tag's NDEF message, or its memory from page 0 or from the first data page on, base64." }),
      ),
    },
    'A tag or card was placed near the reader.',
  ),
  nfc_out: input('nfc_out', { uid: uid(), type: Type.Optional(Type.String({ maxLength: 64 })) }, 'The tag or card was removed.'),
  ir: input(
    'ir',
    {
      raw_us: Type.Optional(Type.Array(Type.Number({ minimum: 0 }), { minItems: 1, maxItems: 2048, description: 'Marks and spaces, microseconds.' })),
      address: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'NEC address, decoded by the robot.' })),
      command: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: 'NEC command, decoded by the robot.' })),
    },
    'A button of an infrared remote: raw_us, or address and command if the robot decodes NEC itself. If both are present, the decoded fields are used.',
    eitherOf(['raw_us'], ['address', 'command']),
  ),
  power_key: input(
    'power_key',
    {
      held_ms: Type.Optional(heldMs()),
      press: Type.Optional(oneOf(['short', 'long'], { description: 'For a robot whose power chip measures the press itself.' })),
    },
    'The power button was pressed and released: held_ms or press. If both are present, press is used.',
    eitherOf(['held_ms'], ['press']),
  ),
  usb: input('usb', { present: Type.Boolean() }, 'The USB cable was plugged in or removed.'),
} as const;

export type InputKind = keyof typeof inputSchemas;
export const inputKinds = Object.keys(inputSchemas) as InputKind[];

export const UnknownInputSchema = input('unknown', {}, 'Input of a kind from a later version.');

type InputMap = { [K in InputKind]: Static<(typeof inputSchemas)[K]> };
/**
 * An input with a valid number and an invalid field. It is acknowledged and causes no event: closing the session would make the robot resend it
 * forever.
 */
export interface UnreadableInput {
  t: 'in';
  seq: number;
  /** Null if `ms` itself is invalid. */
  ms: number | null;
  kind: 'unreadable';
  /** The declared kind; `unknown` if it is not in the table. */
  of: InputKind | 'unknown';
  problem: string;
}
export type Input = InputMap[InputKind] | Static<typeof UnknownInputSchema> | UnreadableInput;
export type InputOf<K extends InputKind> = InputMap[K];

export const InputHeadSchema = linkMessage(
  'in',
  { seq: inputNumber('Counts from 1 per boot.'), ms: robotClock(), kind: Type.String() },
  'Input of any kind.',
);

export const InAckSchema = linkMessage('in_ack', { seq: Type.Integer({ minimum: 0 }) }, 'Every input up to seq is stored or has answered a wait.');
export type InAck = Static<typeof InAckSchema>;
