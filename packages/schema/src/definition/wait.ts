import { Type, type TSchema } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf, type Problem } from '../base/open-object.js';

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

/** Arguments of an action that takes its place in the queue of a robot, behind what waits there, instead of replacing what shows. */
const { entriesMax, priorityMax, expiresSHeld, expiresSMax, argsBytesMax, forSDefault, forSMax } = limits.queue;

const QueueSchema = Type.Boolean({
  description: `Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most ${entriesMax}. In quiet hours only priority ${priorityMax} shows. A stop empties the queue. false counts as absent.`,
});

const PrioritySchema = Type.Integer({
  minimum: 0,
  maximum: priorityMax,
  description: `With queue: higher ones first, equal ones in the order of their calls; default 0. ${priorityMax} shows in quiet hours, too. It does not replace what shows.`,
});

const ExpiresSchema = Type.Number({
  minimum: 1,
  maximum: expiresSMax,
  description: `With queue: seconds after which it is dropped if its turn has not come; default ${expiresSHeld}, and the most for a question without detach.`,
});

export const ForSchema = Type.Number({
  minimum: 1,
  maximum: forSMax,
  description: `With queue: seconds before the next of the queue may show; default ${forSDefault}. Without a next one, the card stays as any other.`,
});

const PlaceSchema = Type.Integer({ minimum: 1, description: 'Place in the queue of the robot, from 1; absent if it is not in it.' });

export const queueFields = {
  queued: Type.Optional(Type.Literal(true, { description: 'It is in the queue of the robot, or has expired there: nobody has seen it.' })),
  place: Type.Optional(PlaceSchema),
};

export const queueArgs = { queue: Type.Optional(QueueSchema), priority: Type.Optional(PrioritySchema), expires_s: Type.Optional(ExpiresSchema) };

type QueueArgs = Partial<Record<'priority' | 'expires_s' | 'for_s', number>> & { queue?: boolean; detach?: boolean; clear?: boolean };

/** The rules of the arguments of the queue. @param args with all others of the action @param holds whether its call stays open */
export function queueProblem(args: QueueArgs, holds: boolean): Problem | null {
  if (args.queue !== true) {
    const alone = (['priority', 'expires_s', 'for_s'] as const).find((name) => args[name] !== undefined);
    return alone === undefined ? null : { field: alone, message: 'belongs to queue: true' };
  }
  if (args.clear !== undefined) return { field: 'clear', message: 'cannot be combined with queue; what is in the queue is not shown yet' };
  if (holds && (args.expires_s ?? 0) > expiresSHeld)
    return { field: 'expires_s', message: `at most ${expiresSHeld}; with detach: true, at most ${expiresSMax}` };
  if (new TextEncoder().encode(JSON.stringify(args)).length <= argsBytesMax) return null;
  return { field: 'queue', message: `takes at most ${argsBytesMax} bytes of arguments; send an image by its address or as an upload` };
}
