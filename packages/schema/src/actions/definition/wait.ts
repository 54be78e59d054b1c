import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { limits } from '../../api/limits.js';
import { oneOf } from '../../validation/open-object.js';
import type { Problem } from '../../validation/problem.js';

const { timeoutSDefault, timeoutSMax, detachedTimeoutSMax, detachedKeptS, choicesBytesMax } = limits.wait;

export const TimeoutSchema = timeoutSchema();

/** @param more ends the description */
export function timeoutSchema(more = '') {
  return Type.Number({
    exclusiveMinimum: 0,
    maximum: detachedTimeoutSMax,
    default: timeoutSDefault,
    description: `Seconds to wait, counted from when the person can answer; default ${timeoutSDefault}, at most ${timeoutSMax}; with detach, at most ${detachedTimeoutSMax}.${more}`,
  });
}

export const DetachSchema = Type.Boolean({
  description: `Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for ${detachedKeptS / 60} min after its end; the end is also the event answered.`,
});

/** The rules between `timeout_s` and `detach`. @param choices the texts that a tap answers with, which are stored */
export function detachProblem(
  { timeout_s: timeoutS, detach }: { timeout_s?: number | undefined; detach?: boolean | undefined },
  field: string,
  choices: unknown,
): Problem | null {
  if (detach !== true) {
    if (timeoutS === undefined || timeoutS <= timeoutSMax) return null;
    return { field: 'timeout_s', message: `at most ${timeoutSMax}; with detach: true, at most ${detachedTimeoutSMax}` };
  }
  return choicesFit(choices) ? null : { field, message: `with detach, at most ${choicesBytesMax} bytes of texts together` };
}

/** Whether the texts are short enough to be stored with a wait that outlives its call. */
export function choicesFit(choices: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(choices)).length <= choicesBytesMax;
}

export const waitOutcomes = ['answered', 'timed_out', 'replaced', 'pending'] as const;

export const WaitIdSchema = Type.String({
  description: 'The id of a wait that outlives its call.',
  examples: ['wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j'],
});

export const waitFields = {
  outcome: oneOf(waitOutcomes, {
    description: 'replaced: a newer ask, menu or clickmap, or a stop, ended this one. pending: the question waits on; read its `wait`.',
  }),
  timed_out: Type.Boolean(),
  replaced: Type.Boolean(),
  robot_away: Type.Boolean({ description: 'Whether the robot was offline or restarted while the call was waiting.' }),
  wait: Type.Optional(WaitIdSchema),
};

export const waitRules =
  'The request stays open until the tap, the time-out, a newer ask, menu or clickmap, or a stop, unless detach is sent. The response always has the same fields; they are null if there was no tap.';

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

export const IndexSchema = nullable(Type.Integer({ minimum: 0 }), 'Position in the list, from 0.');

export const pendingKeys = { ok: true, outcome: 'pending', timed_out: false, replaced: false, robot_away: false };
export const answeredKeys = { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false };
export const timedOutKeys = { ok: true, outcome: 'timed_out', timed_out: true, replaced: false, robot_away: false };
