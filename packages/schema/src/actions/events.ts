/** events: what people did at the robot, after a number, at once or as soon as something happens. */
import { Type } from 'typebox';
import { EventNameSchema, EventSchema } from '../api/event.js';
import { limits } from '../api/limits.js';
import { answerObject, defineAction } from './action.js';

const { secondsDefault, secondsMax } = limits.events;

export const events = defineAction({
  name: 'events',
  group: 'robots',
  summary: 'Read what people did at the robot, or wait for the next thing they do.',
  description:
    'Feed last_seq of one answer into after of the next. first_seq above after + 1 means that events in between are missing: dropped because only the last ones are kept, for some time, or lost by the storage. ' +
    'An after above the highest number waits for greater numbers, as any other does. ' +
    'Unknown event names are refused.',
  args: Type.Object({
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Only events with a seq above it; 0 (default): the last ones kept.',
      }),
    ),
    names: Type.Optional(Type.Array(EventNameSchema, { description: 'Only these event names; an empty list counts as absent.' })),
    seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: secondsMax,
        default: secondsDefault,
        description: `Wait up to this long for a next event; default ${secondsDefault}, at most ${secondsMax}.`,
      }),
    ),
  }),
  answer: answerObject({
    events: Type.Array(EventSchema, { description: 'Oldest first.' }),
    last_seq: Type.Integer({ minimum: 0, description: 'The highest number this answer covers, filtered names included; never below after.' }),
    first_seq: Type.Integer({
      minimum: 0,
      description:
        'The oldest number kept or, where numbering jumped behind after, the first number after the jump; the next number where all there were are gone; 0 where there was none.',
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
