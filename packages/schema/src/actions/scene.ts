/** scene: runs several actions in order, in one request. A compound, not one of the interface's twelve actions. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../api/limits.js';
import { oneOf, openObject } from '../validation/open-object.js';
import type { Problem } from '../validation/problem.js';
import { answerObject, argsObject, defineAction } from './action.js';

const { actionsMin, actionsMax } = limits.scene;

/** Actions allowed in a scene; waits only as the last one. */
const sceneActions = ['show', 'say', 'face', 'move', 'leds', 'sound', 'command', 'ask', 'menu', 'clickmap'] as const;

export type SceneAction = (typeof sceneActions)[number];

const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

const args = argsObject({
  actions: Type.Array(
    Type.Object(
      { action: oneOf(sceneActions, { description: 'Name of the action. ask, menu and clickmap only as the last one.' }) },
      { additionalProperties: true, description: 'An action: its name, and its arguments as properties of the same object.' },
    ),
    { minItems: actionsMin, maxItems: actionsMax, description: `${actionsMin} to ${actionsMax} actions, run in order.` },
  ),
});

export const scene = defineAction({
  name: 'scene',
  group: 'body',
  summary: `Run up to ${actionsMax} actions in order, in one call.`,
  description:
    'All actions are checked before the first one runs: one wrong argument, named by a field such as actions[2].text, rejects the whole scene. ' +
    'Each action starts when the robot has confirmed the one before it. If one fails, the remaining ones do not run, and the failure contains the results so far. ' +
    'An ask, menu or clickmap can only be the last action: the request stays open until the tap. Each action counts against the rate limit; if the limit cannot cover all of them, none runs.',
  args,
  answer: answerObject({
    results: Type.Array(openObject(), { description: 'The response of each action, in order.' }),
  }),
  rules: sceneProblem,
  // A scene may contain one of the robot's own commands.
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

/** Whether a scene ends in a wait, so that its request stays open. @param args unchecked */
export function sceneWaits({ actions }: Record<string, unknown>): boolean {
  const last: unknown = Array.isArray(actions) ? actions.at(-1) : null;
  return typeof last === 'object' && last !== null && waits.has((last as { action?: string }).action ?? '');
}

function sceneProblem({ actions }: Static<typeof args>): Problem | null {
  const early = actions.findIndex(({ action }, at) => waits.has(action) && at < actions.length - 1);
  if (early === -1) return null;
  return { field: `actions[${early}].action`, message: `${actions[early]!.action} waits for a person and can only be the last action of a scene` };
}
