import { Type } from 'typebox';
import type { Static } from 'typebox';
import { EventSchema } from './event.js';
import { oneOf, openObject } from '../base/open-object.js';
import type { Labels } from './robot-labels.js';
import { readingNames, readingTable } from './readings.js';
import { features } from '../values/features.js';

export const ListedCommandSchema = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    args: openObject('JSON Schema of the arguments.'),
  },
  { description: "One of the robot's own commands, for the action `command`." },
);
export type ListedCommand = Static<typeof ListedCommandSchema>;

const robotFields = {
  id: Type.String(),
  name: Type.String({ description: 'Name given by the owner; the id if the robot has no name.' }),
  online: Type.Boolean({ description: 'Whether the robot is connected to the service.' }),
  model: Type.String({ description: 'Empty until the robot connects for the first time.' }),
  firmware: Type.String({ description: 'Empty until the robot connects for the first time.' }),
  features: Type.Optional(
    Type.Array(oneOf(features), {
      description: 'Parts of the robot that actions need, as it reported when it last connected. Absent until the robot connects for the first time.',
    }),
  ),
  commands: Type.Array(ListedCommandSchema),
  labels: Type.Unsafe<Labels>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Labels by key, such as {"room": "r7"}; empty if there are none.',
  }),
};

export const RobotSchema = Type.Object(robotFields, { description: 'A robot of the key.' });
export type Robot = Static<typeof RobotSchema>;

export const ScreenStateSchema = Type.Object(
  {
    card: Type.Union([Type.String(), Type.Null()], { description: 'Id of the card or picture on the screen, or null.' }),
    question: Type.Union([Type.String(), Type.Null()], { description: 'Id of the question on the screen, or null.' }),
    emotion: Type.String(),
    view: Type.String({ description: "The robot's own screen beneath cards: face or readings." }),
    wait: Type.Optional(
      Type.String({
        description: 'Wait of the question, if this key asked it with detach or as a tool: robot_answer and GET /v1/waits/{wait} read it.',
      }),
    ),
  },
  { description: 'What the robot is showing.' },
);

const QuietHoursSchema = Type.Object({
  from: Type.String({ description: 'HH:MM. Later than `to` if the hours include midnight.' }),
  to: Type.String({ description: 'HH:MM' }),
  time_zone: Type.String({ description: 'IANA name, such as Europe/Berlin.' }),
  active: Type.Boolean({ description: 'Whether these hours are now.' }),
});

const RobotProgramSchema = Type.Object({
  current: Type.String({ description: 'Version that runs.' }),
  offered: Type.Union([Type.String(), Type.Null()], { description: 'Version that the owner can install; null: none.' }),
  error: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Why the last update to that version failed, or the robot refused it; null: it did not fail. Absent: a gateway of 0.10.',
    }),
  ),
});

const readingSchemas = Object.fromEntries(
  readingNames.map((name) => {
    const { kind, min, max } = readingTable[name]!;
    if (kind === 'boolean') return [name, { type: ['boolean', 'null'] }];
    if (kind !== 'number') return [name, { type: ['string', 'null'] }];
    return [name, { type: ['number', 'null'], minimum: min, ...(max === Number.MAX_VALUE ? {} : { maximum: max }) }];
  }),
);

export const ReadingsSchema = Type.Unsafe<Record<string, number | boolean | string | null>>({
  type: 'object',
  properties: readingSchemas,
  description: 'The latest value of each reading; its name contains the unit. Null: the sensor failed. Readings never reported are absent.',
});

export const RobotStateSchema = Type.Object({
  ok: Type.Literal(true),
  ...robotFields,
  readings: ReadingsSchema,
  readings_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Time of the latest reading, RFC 3339; null before the first.',
  }),
  showing: ScreenStateSchema,
  volume_max: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
    description: 'Highest volume of sounds and speech, chosen by the owner; null: no limit.',
  }),
  quiet_hours: Type.Union([QuietHoursSchema, Type.Null()], {
    description: 'Hours in which the robot makes no sound, chosen by the owner; null: none.',
  }),
  update: Type.Optional(
    Type.Union([RobotProgramSchema, Type.Null()], {
      description: 'Versions of the robot program, which only the owner updates; null: a program that the service does not update.',
    }),
  ),
  events: Type.Array(EventSchema, { description: 'The last 20, oldest first.' }),
  last_seq: Type.Integer({ minimum: 0, description: 'The highest event number assigned so far.' }),
});
export type RobotState = Static<typeof RobotStateSchema>;
