/** scene: several actions in one ordered request. Not one of the twelve actions: it is made of them. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../api/limits.js';
import { oneOf, openObject } from '../validation/open-object.js';
import type { Problem } from '../validation/problem.js';
import { answerObject, argsObject, defineAction } from './action.js';

const { actionsMin, actionsMax } = limits.scene;

/** What acts on a robot; the waits only at the end. */
const sceneActions = ['show', 'say', 'face', 'move', 'leds', 'sound', 'command', 'ask', 'menu', 'clickmap'] as const;

export type SceneAction = (typeof sceneActions)[number];

const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

const args = argsObject({
  actions: Type.Array(
    Type.Object(
      { action: oneOf(sceneActions, { description: 'Its name; ask, menu and clickmap only at the end.' }) },
      { additionalProperties: true, description: 'An action: its name, and beside it its arguments as the action of that name takes them.' },
    ),
    { minItems: actionsMin, maxItems: actionsMax, description: `${actionsMin} to ${actionsMax} actions, done one after the other.` },
  ),
});

export const scene = defineAction({
  name: 'scene',
  group: 'body',
  summary: `Do up to ${actionsMax} actions one after the other, in one call.`,
  description:
    'All are checked before the first is done: what is wrong with one, with its field such as actions[2].text, refuses all. ' +
    'Each is done when the one before it was confirmed by the robot. Where one fails, those behind it are not done, and the failure carries the results until then. ' +
    'An ask, menu or clickmap can only be the last: its call is held open for the tap. Costs one action of the bucket for each; all fit it or none is done.',
  args,
  answer: answerObject({
    results: Type.Array(openObject(), { description: 'The answer of each action, in their order, as it answers alone.' }),
  }),
  rules: sceneProblem,
  // A command of the robot's own may be one of them.
  effect: { destructive: true },
  examples: [
    {
      args: {
        actions: [
          { action: 'face', emotion: 'happy' },
          { action: 'say', text: 'Tea is ready!' },
          { action: 'sound', chime: 'tada' },
        ],
      },
      answer: { ok: true, results: [{ ok: true }, { ok: true }, { ok: true, seconds: 1.2, replaced: false }] },
    },
  ],
});

/** Whether a scene ends in a question to a person, so that its call is held open. @param args as they came */
export function sceneWaits({ actions }: Record<string, unknown>): boolean {
  const last: unknown = Array.isArray(actions) ? actions.at(-1) : null;
  return typeof last === 'object' && last !== null && waits.has((last as { action?: string }).action ?? '');
}

function sceneProblem({ actions }: Static<typeof args>): Problem | null {
  const early = actions.findIndex(({ action }, at) => waits.has(action) && at < actions.length - 1);
  if (early === -1) return null;
  return { field: `actions[${early}].action`, message: `${actions[early]!.action} waits for a person and can only be the last of a scene` };
}
