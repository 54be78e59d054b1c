/** What the robot says by itself, beside input: sensors, the progress of a sound, signs of life. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { oneOf, openObject } from '../open-object.js';
import { count, linkMessage, streamNumber } from './fields.js';

/** The values are looked at by `acceptReadings`: a wrong one is dropped, never an error. */
export const SensorsSchema = linkMessage(
  'sensors',
  { values: openObject('Readings by name; absent is unchanged, null is a sensor that failed. What is unknown or out of range is dropped.') },
  'Every 2 s.',
);
export type Sensors = Static<typeof SensorsSchema>;

export const FlowSchema = linkMessage(
  'flow',
  {
    stream: streamNumber(),
    received: count(),
    free: count(),
    played_ms: Type.Optional(Type.Number({ minimum: 0 })),
  },
  'At least every 250 ms while a sound plays; the service never sends beyond received + free.',
);
export type Flow = Static<typeof FlowSchema>;

export const PlayDoneSchema = linkMessage('play_done', { stream: streamNumber(), reason: oneOf(['end', 'stopped', 'underrun']) }, 'A sound ended.');
export type PlayDone = Static<typeof PlayDoneSchema>;

export const PingSchema = linkMessage('ping', {}, 'Either way; answered by pong.');
export type Ping = Static<typeof PingSchema>;

export const PongSchema = linkMessage('pong', {}, 'Answers ping.');
export type Pong = Static<typeof PongSchema>;
