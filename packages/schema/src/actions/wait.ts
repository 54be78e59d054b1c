/** What ask, menu and clickmap have in common: the time-out, and the keys every one of their answers has. */
import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { limits } from '../api/limits.js';
import { oneOf } from '../validation/open-object.js';

const { timeoutSDefault, timeoutSMax } = limits.wait;

export const TimeoutSchema = Type.Number({
  exclusiveMinimum: 0,
  maximum: timeoutSMax,
  default: timeoutSDefault,
  description: `Seconds to wait, counted from when the person sees it; default ${timeoutSDefault}, at most ${timeoutSMax}.`,
});

export const waitOutcomes = ['answered', 'timed_out', 'replaced'] as const;

export const waitFields = {
  outcome: oneOf(waitOutcomes, { description: 'replaced: a newer ask, menu or clickmap took the place of this one, or a stop ended it.' }),
  timed_out: Type.Boolean(),
  replaced: Type.Boolean(),
  robot_away: Type.Boolean({ description: 'Whether the robot was away, or restarted, at some time while the call waited.' }),
};

export const waitRules =
  'The call is held open until the tap, the time-out, a newer ask, menu or clickmap, or a stop; the answer always has the same keys, null where there was no tap.';

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

export const IndexSchema = nullable(Type.Integer({ minimum: 0 }), 'Its position in the list, from 0.');

export const answeredKeys = { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false };
export const timedOutKeys = { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false };
