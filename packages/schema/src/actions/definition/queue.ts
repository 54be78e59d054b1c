/** Arguments of an action that takes its place in the queue of a robot, behind what waits there, instead of replacing what shows. */
import { Type } from 'typebox';
import { limits } from '../../api/limits.js';
import type { Problem } from '../../validation/problem.js';

const { entriesMax, priorityMax, expiresSHeld, expiresSMax, argsBytesMax, forSDefault, forSMax } = limits.queue;

export const QueueSchema = Type.Boolean({
  description: `Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most ${entriesMax}. In quiet hours only priority ${priorityMax} shows. A stop empties the queue. false counts as absent.`,
});

export const PrioritySchema = Type.Integer({
  minimum: 0,
  maximum: priorityMax,
  description: `With queue: higher ones first, equal ones in the order of their calls; default 0. ${priorityMax} shows in quiet hours, too. It does not replace what shows.`,
});

export const ExpiresSchema = Type.Number({
  minimum: 1,
  maximum: expiresSMax,
  description: `With queue: seconds after which it is dropped if its turn has not come; default ${expiresSHeld}, and the most for a question without detach.`,
});

export const ForSchema = Type.Number({
  minimum: 1,
  maximum: forSMax,
  description: `With queue: seconds before the next of the queue may show; default ${forSDefault}. Without a next one, the card stays as any other.`,
});

export const PlaceSchema = Type.Integer({ minimum: 1, description: 'Place in the queue of the robot, from 1; absent if it is not in it.' });

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
