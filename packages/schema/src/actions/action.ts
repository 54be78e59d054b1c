/** What an action is: everything that REST, the tools, OpenAPI, `/v1/actions`, the SDK and the metric labels follow from. */
import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import type { Problem } from '../validation/problem.js';
import type { Feature } from '../api/robot.js';

/** How descriptions sort the actions. */
export const actionGroups = {
  robots: 'Which robots there are, their state, and what people do at them.',
  screen: 'What the robot shows.',
  body: 'Head, lights, sound, and the commands of its own.',
  waits: 'Questions to the person at the robot; the call is held open until the tap.',
} as const;

export type ActionGroup = keyof typeof actionGroups;

export interface Effect {
  /** It changes nothing at the robot. */
  readOnly: boolean;
  /** Done twice with the same arguments it leaves the robot as done once. */
  idempotent: boolean;
  /** It may do what cannot be undone by another action. */
  destructive: boolean;
}

export interface ActionSpec<N extends string, A extends TObject, R extends TObject, D extends string> {
  name: N;
  group: ActionGroup;
  /** One sentence. */
  summary: string;
  /** What the arguments do together, and the rules between them. */
  description: string;
  /** A plain object schema: tool clients refuse a root with `anyOf`, `oneOf`, `allOf`, `not` or `if`. */
  args: A;
  answer: R;
  /** A call needs at least one of these arguments. Published in the OpenAPI description alone: tool clients refuse a root `anyOf`. */
  needsOneOf?: readonly string[];
  /** What a robot must have; without it the answer is 501. */
  features?: readonly Feature[];
  /** Arguments whose `default` in the schema is filled in. */
  defaults?: readonly D[];
  /** Arguments that count as absent when false. */
  falseIsAbsent?: readonly string[];
  /** Lists that count as absent when empty. */
  emptyIsAbsent?: readonly string[];
  /** What a call does to the world, for tools; what is left out is false. */
  effect?: Partial<Effect>;
  /** Rules between arguments, asked once the schema holds and before defaults are filled in. */
  rules?(args: Static<A>): Problem | null;
  /** Shown in OpenAPI; a test holds them against the schemas. */
  examples: { args: Record<string, unknown>; answer: Record<string, unknown> }[];
}

export interface Action<
  N extends string = string,
  A extends TObject = TObject,
  R extends TObject = TObject,
  D extends string = string,
> extends ActionSpec<N, A, R, D> {
  needsOneOf: readonly string[];
  features: readonly Feature[];
  /** The first of `features`. */
  feature: Feature | null;
  defaults: readonly D[];
  falseIsAbsent: readonly string[];
  emptyIsAbsent: readonly string[];
  effect: Effect;
  /** Whether the call is held open for a person's tap. */
  waits: boolean;
}

export function defineAction<N extends string, A extends TObject, R extends TObject, D extends string = never>(
  spec: ActionSpec<N, A, R, D>,
): Action<N, A, R, D> {
  const features = spec.features ?? [];
  return {
    ...spec,
    needsOneOf: spec.needsOneOf ?? [],
    features,
    feature: features[0] ?? null,
    defaults: spec.defaults ?? [],
    falseIsAbsent: spec.falseIsAbsent ?? [],
    emptyIsAbsent: spec.emptyIsAbsent ?? [],
    effect: { readOnly: false, idempotent: false, destructive: false, ...spec.effect },
    waits: 'timed_out' in spec.answer.properties,
  };
}

/** Arguments of which unknown ones are refused. */
export function argsObject<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export function answerObject<P extends TProperties>(properties: P) {
  return Type.Object({ ok: Type.Literal(true), ...properties });
}

export const nothingToDo = (...names: string[]): Problem => ({
  message: `There is nothing to do: send at least one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`,
});
