import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf, openObject } from '../base/open-object.js';
import { count, linkMessage, shortText, streamNumber } from './fields.js';

/** `acceptReadings` drops invalid values; they are never an error. */
export const SensorsSchema = linkMessage(
  'sensors',
  { values: openObject('Readings by name. Absent: unchanged; null: the sensor failed. Unknown or out-of-range readings are dropped.') },
  'Sent every 2 s.',
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
  'Sent at least every 250 ms while a sound plays. The service never sends beyond received + free.',
);
export type Flow = Static<typeof FlowSchema>;

export const PlayDoneSchema = linkMessage('play_done', { stream: streamNumber(), reason: oneOf(['end', 'stopped', 'underrun']) }, 'A sound ended.');
export type PlayDone = Static<typeof PlayDoneSchema>;

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof logLevels)[number];

export const LogSchema = linkMessage(
  'log',
  {
    level: oneOf(logLevels),
    text: Type.String({ description: `At most ${limits.link.logTextCharsMax} characters are kept; control characters are replaced.` }),
  },
  `A line of the robot's own log, shown to its owner on the web page. At most ${limits.link.logLinesPerMinute} a minute are kept.`,
);
export type Log = Static<typeof LogSchema>;

/** Why a robot refuses an update before it unpacks anything. */
export const updateRefusedReasons = ['unsigned', 'foreign', 'changed', 'lower', 'early'] as const;

export type UpdateRefusedReason = (typeof updateRefusedReasons)[number];

export const UpdateFailedSchema = linkMessage(
  'update_failed',
  {
    version: shortText(),
    error: Type.String({ description: `At most ${limits.link.logTextCharsMax} characters are kept; control characters are replaced.` }),
    refused: Type.Optional(
      Type.String({
        description: `One of ${updateRefusedReasons.join(', ')}: the robot refuses it, since it is not signed, with a key that the robot does not know, not what was signed, or not for the version that runs.`,
      }),
    ),
  },
  'The offered version was not installed, or did not start: the program before runs.',
);
export type UpdateFailed = Static<typeof UpdateFailedSchema>;

export const PingSchema = linkMessage('ping', {}, 'Sent by either side; the reply is pong.');
export type Ping = Static<typeof PingSchema>;

export const PongSchema = linkMessage('pong', {}, 'Reply to ping.');
export type Pong = Static<typeof PongSchema>;
