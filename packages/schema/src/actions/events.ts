import { Type } from 'typebox';
import { EventNameSchema, EventSchema } from '../robots/event.js';
import { limits } from '../base/limits.js';
import { answerObject, defineAction } from '../definition/action.js';

const { secondsDefault, secondsMax } = limits.events;

export const events = defineAction({
  name: 'events',
  group: 'robots',
  summary: 'Read what people did at the robot, or wait for the next event.',
  description:
    'Pass last_seq of one response as after of the next call. If first_seq is above after + 1, the events in between are missing: they expired, exceeded the number of events kept, or were lost by the storage. ' +
    'An after above the highest number waits for a higher number. ' +
    'Unknown event names are rejected.',
  args: Type.Object({
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Only events with a higher seq. Default 0: the last ones kept.',
      }),
    ),
    names: Type.Optional(Type.Array(EventNameSchema, { description: 'Only events with these names. An empty list counts as absent.' })),
    seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: secondsMax,
        default: secondsDefault,
        description: `Wait up to this many seconds for the next event; default ${secondsDefault}, at most ${secondsMax}.`,
      }),
    ),
  }),
  form: { usual: ['after', 'names', 'seconds'] },
  answer: answerObject({
    events: Type.Array(EventSchema, { description: 'Oldest first.' }),
    last_seq: Type.Integer({
      minimum: 0,
      description: 'The highest number this response covers, including events that names filtered out; never below after.',
    }),
    first_seq: Type.Integer({
      minimum: 0,
      description:
        'The oldest number kept or, if numbering jumped past after, the first number after the jump. The next number if all events were dropped; 0 if there never was one.',
    }),
  }),
  effect: { readOnly: true, idempotent: true },
  defaults: ['after', 'seconds'],
  emptyIsAbsent: ['names'],
  examples: [
    {
      args: { after: 6, names: ['tap', 'pat'], seconds: 20 },
      answer: {
        ok: true,
        events: [{ seq: 7, name: 'tap', data: { x: 160, y: 120 }, at: '2026-01-01T11:59:58.250Z' }],
        last_seq: 7,
        first_seq: 1,
      },
    },
  ],
});
