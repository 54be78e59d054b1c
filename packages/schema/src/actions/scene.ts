/** scene: runs several actions in order, in one request. A compound, not one of the interface's twelve actions. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf, openObject, type Problem } from '../base/open-object.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';

const { actionsMin, actionsMax, atMsMax } = limits.scene;
const { timeoutSMax } = limits.wait;

/** A wait only as the last one. */
export const sceneActions = ['show', 'say', 'face', 'move', 'leds', 'sound', 'speak', 'command', 'ask', 'menu', 'clickmap'] as const;

export type SceneAction = (typeof sceneActions)[number];

const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

const args = argsObject({
  actions: Type.Array(
    Type.Object(
      {
        action: oneOf(sceneActions, { description: 'Name of the action. ask, menu and clickmap only as the last one.' }),
        at_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: atMsMax,
            description:
              'When the action starts: milliseconds after the pictures and sounds of the whole scene were made. Actions with the same at_ms start together. ' +
              `The timeout_s of a question at the end and the last at_ms are at most ${timeoutSMax} s together.`,
          }),
        ),
      },
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
    'Each action starts when the robot has confirmed the ones before it; one with at_ms starts at its time, beside those that still run. If one fails, those that have not started do not run, and the failure contains the results so far. ' +
    'An ask, menu or clickmap can only be the last action: the request stays open until the tap. Each action counts against the rate limit; if the limit cannot cover all of them, none runs.',
  args,
  form: { usual: [] },
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
    {
      args: {
        actions: [
          { action: 'face', emotion: 'happy', at_ms: 0 },
          { action: 'leds', color: 'green', at_ms: 0 },
          { action: 'sound', chime: 'yes', at_ms: 0 },
          { action: 'move', gesture: 'nod', at_ms: 400 },
        ],
      },
      answer: { ok: true, results: [{ ok: true }, { ok: true }, { ok: true, seconds: 0.5, replaced: false }, { ok: true }] },
    },
  ],
});

export function sceneWaits({ actions }: Record<string, unknown>): boolean {
  const last: unknown = Array.isArray(actions) ? actions.at(-1) : null;
  return typeof last === 'object' && last !== null && waits.has((last as { action?: string }).action ?? '');
}

function sceneProblem({ actions }: Static<typeof args>): Problem | null {
  const early = actions.findIndex(({ action }, at) => waits.has(action) && at < actions.length - 1);
  if (early === -1) return disorderProblem(actions);
  return { field: `actions[${early}].action`, message: `${actions[early]!.action} waits for a person and can only be the last action of a scene` };
}

function disorderProblem(actions: Static<typeof args>['actions']): Problem | null {
  let latestMs = 0;
  for (const [at, { at_ms: atMs }] of actions.entries()) {
    if (atMs === undefined) continue;
    if (atMs < latestMs)
      return { field: `actions[${at}].at_ms`, message: `is before an earlier action (${latestMs}); send the actions in the order of their times` };
    latestMs = atMs;
  }
  return null;
}

/** A scene with validated steps stays open no longer than a question alone: load balancers close calls that are silent for longer. */
export function lateWaitProblem(steps: readonly { atMs: number | null; args: object }[]): Problem | null {
  const queued = steps.findIndex(({ args: own }) => 'queue' in own);
  if (queued !== -1) return { field: `actions[${queued}].queue`, message: 'cannot be used in a scene, whose actions start after each other' };
  const at = steps.length - 1;
  const { timeout_s: timeoutS, detach } = steps[at]!.args as { timeout_s?: number; detach?: boolean };
  const latestS = Math.max(...steps.map(({ atMs }) => atMs ?? 0)) / 1000;
  if (timeoutS === undefined || detach === true || latestS + timeoutS <= timeoutSMax) return null;
  return { field: `actions[${at}].timeout_s`, message: `is at most ${timeoutSMax - latestS} after an at_ms of ${latestS * 1000}` };
}
