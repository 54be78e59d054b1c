/** Scenes: what lists actions, each with arguments of its own, which the list's schema does not know. */
import type { ServedAction } from '../served.js';
import { stepNames } from '../served.js';
import { valueAt, withAt } from './json.js';
import { mutantsOf, type Mutant } from './mutants.js';

type Body = Record<string, unknown>;

/** One scene for each example of each action that may be in one, with a harmless action before it. */
export function scenesOf({ args, steps }: ServedAction): Body[] {
  if (steps === null) return [];
  return stepNames(args).flatMap((name) =>
    (steps.get(name)?.examples ?? []).map((example) => ({
      actions: [
        { action: 'face', emotion: 'happy' },
        { action: name, ...example },
      ],
    })),
  );
}

/** The last action of a scene with one thing changed, as its own schema has it. */
export function stepMutants({ steps }: ServedAction, scene: Body): Mutant[] {
  const { actions } = scene;
  if (steps === null || !Array.isArray(actions)) return [];
  const path = ['actions', actions.length - 1];
  const step = actions.at(-1) as Body;
  return mutantsOf(steps.get(String(step['action']))!.args, step).map(({ what, change }) => ({
    what: `${String(step['action'])} in a scene, ${what}`,
    change: (body) => withAt(body, path, change(valueAt(body, path))),
  }));
}
