import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { limits } from '../../api/limits.js';
import { oneOf } from '../../validation/open-object.js';

const { timeoutSDefault, timeoutSMax } = limits.wait;

export const TimeoutSchema = Type.Number({
  exclusiveMinimum: 0,
  maximum: timeoutSMax,
  default: timeoutSDefault,
  description: `Seconds to wait, counted from when the person can answer; default ${timeoutSDefault}, at most ${timeoutSMax}.`,
});

export const waitOutcomes = ['answered', 'timed_out', 'replaced'] as const;

export const waitFields = {
  outcome: oneOf(waitOutcomes, { description: 'replaced: a newer ask, menu or clickmap, or a stop, ended this one.' }),
  timed_out: Type.Boolean(),
  replaced: Type.Boolean(),
  robot_away: Type.Boolean({ description: 'Whether the robot was offline or restarted while the call was waiting.' }),
};

export const waitRules =
  'The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop. The response always has the same fields; they are null if there was no tap.';

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

export const IndexSchema = nullable(Type.Integer({ minimum: 0 }), 'Position in the list, from 0.');

export const answeredKeys = { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false };
export const timedOutKeys = { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false };
