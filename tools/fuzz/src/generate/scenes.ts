/** Scenes: lists of actions, each with its own arguments, which the schema of the list does not know. */
import type { ServedAction } from '../served.js';
import { stepNames } from '../served.js';
import { valueAt, withAt } from './json.js';
import { mutantsOf, type Mutant } from './mutants.js';

type Body = Record<string, unknown>;

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
