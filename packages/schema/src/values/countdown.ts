import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import type { Problem } from '../base/open-object.js';
import { hasInk, withoutInk } from './ink.js';

const { countdownSMax } = limits.show;

/** RFC 3339, seconds optional, with its zone. */
const timePattern = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export const CountdownSchema = Type.Object(
  {
    seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: countdownSMax, description: `How long it counts, from when it is shown, 1 to ${countdownSMax} s.` }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'In place of seconds: when it ends, at most a day ahead, such as 2026-12-31T23:59:00+01:00. A time that has passed shows the end.',
      }),
    ),
    done: Type.Optional(Type.String({ description: 'Text that replaces it at its end, with a visible character; default 0:00.' })),
  },
  {
    additionalProperties: false,
    description:
      'Time left, drawn large, as 4:59 or 1:02:03, until seconds have passed or a time is reached. The service draws it anew each second while the card shows; over an hour every 10 s.',
  },
);

export interface CountdownArgs {
  seconds?: number;
  until?: string;
  done?: string;
}

/** Checks the rules between the fields; how far ahead `until` is depends on the clock (`countdownEnd`). */
export function countdownProblem({ seconds, until, done }: CountdownArgs): Problem | null {
  if (seconds === undefined && until === undefined) return { field: 'countdown', message: 'needs seconds or until' };
  if (seconds !== undefined && until !== undefined)
    return { field: 'countdown.until', message: 'cannot be combined with seconds; send one or the other' };
  if (until !== undefined && timeOf(until) === null)
    return { field: 'countdown.until', message: 'must be a time with its zone, such as 2026-12-31T23:59:00+01:00' };
  return done === undefined || hasInk(done) ? null : { field: 'countdown.done', message: withoutInk };
}

/** Returns when a countdown without a `countdownProblem` ends, ms (as `now`), or what is wrong with it. */
export function countdownEnd({ seconds, until }: CountdownArgs, now: number): number | Problem {
  if (seconds !== undefined) return now + seconds * 1000;
  const end = timeOf(until!)!;
  return end - now <= countdownSMax * 1000 ? end : { field: 'countdown.until', message: `is more than ${countdownSMax} s ahead` };
}

/** Returns ms, or null for a text of another form and for a day that its month does not have, which JavaScript moves to the next month. */
function timeOf(text: string): number | null {
  const day = timePattern.exec(text)?.[1];
  if (day === undefined || new Date(day).toJSON()?.slice(0, 10) !== day) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
