import { Type } from 'typebox';
import type { Static, TProperties, TSchema } from 'typebox';
import { IndexSchema, nullable, WaitIdSchema } from '../definition/wait.js';
import { oneOf, openObject } from '../base/open-object.js';

export const waitKinds = ['ask', 'menu', 'clickmap'] as const;

interface EventKind {
  group: 'touch screen' | 'head touch' | 'motion' | 'proximity' | 'nfc' | 'infrared' | 'power' | 'connection' | 'questions';
  meaning: string;
  data: TProperties;
}

const position = {
  x: Type.Number({ description: 'Screen pixels, 320x240.' }),
  y: Type.Number({ description: 'Screen pixels, 320x240.' }),
};

const early = Type.Optional(
  Type.Literal(true, { description: 'The touch lay on an answer of the open question, but began too soon after it was shown to count.' }),
);

const tagUid = Type.String({ description: 'Lower-case hex without separators.' });

const truncated = (field: string, description: string) => Type.Optional(Type.Array(oneOf([field]), { description }));

export const eventTable = {
  tap: {
    group: 'touch screen',
    meaning: 'Short touch on the screen.',
    data: { ...position, sprite: Type.Optional(Type.String({ description: 'Id of the tappable picture that was hit.' })), early },
  },
  long_press: { group: 'touch screen', meaning: 'Long touch on the screen.', data: { ...position, early } },
  pat: { group: 'head touch', meaning: 'Short touch on the head, under 0.7 s.', data: { ms: Type.Number() } },
  pet: { group: 'head touch', meaning: 'Longer touch on the head.', data: { seconds: Type.Number() } },
  stroke: {
    group: 'head touch',
    meaning: 'Finger along the head.',
    data: { direction: oneOf(['forward', 'back']) },
  },
  shaken: { group: 'motion', meaning: 'The robot was shaken.', data: {} },
  picked_up: { group: 'motion', meaning: 'The robot was picked up.', data: {} },
  near: { group: 'proximity', meaning: 'Something came close to the front.', data: {} },
  away: { group: 'proximity', meaning: 'The object in front went away again.', data: {} },
  tag: {
    group: 'nfc',
    meaning: 'A tag or card held near the head.',
    data: {
      uid: tagUid,
      type: Type.Optional(Type.String()),
      text: Type.Optional(Type.String({ description: "The tag's link or text." })),
      truncated: truncated('text', 'The text is longer than an event (about 1,000 bytes).'),
    },
  },
  tag_removed: { group: 'nfc', meaning: 'The tag was taken away.', data: { uid: tagUid } },
  remote: {
    group: 'infrared',
    meaning: "An infrared remote's button: `address` and `command` (NEC, or the `protocol` named) or, of another protocol, `code`.",
    data: {
      protocol: Type.Optional(
        oneOf(['samsung', 'sony', 'rc5', 'rc6', 'kaseikyo', 'jvc', 'denon', 'nec16'], { description: 'Absent for NEC with a command of 8 bits.' }),
      ),
      address: Type.Optional(Type.Integer()),
      command: Type.Optional(Type.Integer()),
      code: Type.Optional(
        Type.String({ pattern: '^[0-9a-f]{16}$', description: 'The same for each press of a button whose protocol has no name here.' }),
      ),
      raw: Type.Optional(
        Type.Array(Type.Number(), {
          description:
            'Marks and spaces in microseconds, beside `code` and of `rc6`, `kaseikyo`, `jvc`, `denon` and `nec16`. Tools of MCP return the first 16.',
        }),
      ),
      truncated: truncated('raw', 'The button has more marks and spaces than an event holds (about 225), or a tool of MCP returns.'),
    },
  },
  button: {
    group: 'power',
    meaning: 'Power button.',
    data: { press: oneOf(['short', 'long']) },
  },
  plugged: { group: 'power', meaning: 'USB cable plugged in.', data: {} },
  unplugged: { group: 'power', meaning: 'USB cable taken out.', data: {} },
  connected: {
    group: 'connection',
    meaning: 'The robot connected: at its start, after a restart, or after being away.',
    data: {},
  },
  answered: {
    group: 'questions',
    meaning:
      'An ask, menu or clickmap that outlives its call has ended. Fields are null if there was no tap; a text that is too long for an event is cut.',
    data: {
      wait: WaitIdSchema,
      action: oneOf(waitKinds),
      outcome: oneOf(['answered', 'timed_out', 'replaced', 'cancelled', 'failed'], { description: 'cancelled: the wait was taken away.' }),
      index: IndexSchema,
      answer: Type.Optional(nullable(Type.String(), 'For ask: text of the tapped answer.')),
      item: Type.Optional(nullable(Type.String(), 'For menu: id of the tapped item, or its label.')),
      label: Type.Optional(nullable(Type.String(), 'For menu: label of the tapped item.')),
      region: Type.Optional(nullable(Type.String(), 'For clickmap: id of the tapped region.')),
      x: Type.Optional(nullable(Type.Number(), 'For clickmap: screen pixels, 320x240.')),
      y: Type.Optional(nullable(Type.Number(), 'For clickmap: screen pixels, 320x240.')),
      code: Type.Optional(Type.String({ description: 'For failed: the code of the failure.' })),
    },
  },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof eventTable;

export const eventNames = Object.keys(eventTable) as EventName[];

export const EventNameSchema = oneOf(eventNames);

const seq = Type.Integer({ minimum: 1, description: 'Counts from 1 per robot; never used twice.' });
const at = Type.String({ format: 'date-time', description: 'Time of the event, RFC 3339.' });

export const EventSchema = Type.Object(
  { seq, name: EventNameSchema, data: openObject("The event's fields; {} if it has none."), at },
  { description: 'An event at the robot, such as a touch.' },
);

export const eventSchemas: readonly [name: EventName, schema: TSchema][] = eventNames.map((name) => {
  const { meaning, data } = eventTable[name];
  return [name, Type.Object({ seq, name: Type.Literal(name), data: Type.Object(data), at }, { description: meaning })];
});

export type RobotEvent = Static<typeof EventSchema>;
