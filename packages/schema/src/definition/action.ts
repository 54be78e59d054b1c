/** The definition of an action, from which REST routes, MCP tools, OpenAPI, `/v1/actions`, the SDK and metric labels are derived. */
import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import { arranged, type ArgumentForm } from '../base/argument-form.js';
import type { Problem } from '../base/open-object.js';
import type { Feature } from '../values/features.js';

export const actionGroups = {
  robots: 'List robots, read their state, and read the events of the people using them.',
  screen: 'Screen and face.',
  body: "Head, LEDs, sound, and the robot's own commands.",
  waits: 'Questions to the person at the robot; the request stays open until the tap.',
} as const;

export type ActionGroup = keyof typeof actionGroups;

export interface Effect {
  readOnly: boolean;
  /** Repeating the action with the same arguments leaves the robot in the same state. */
  idempotent: boolean;
  /** The action may have effects that no other action can undo. */
  destructive: boolean;
}

export interface ActionSpec<N extends string, A extends TObject, R extends TObject, D extends string> {
  name: N;
  group: ActionGroup;
  summary: string;
  description: string;
  /** A plain object schema: MCP clients reject a root with `anyOf`, `oneOf`, `allOf`, `not` or `if`. */
  args: A;
  /** Absent for an action without arguments. */
  form?: ArgumentForm;
  answer: R;
  /** A call needs at least one of these arguments. Published only in the OpenAPI description: MCP clients reject a root `anyOf`. */
  needsOneOf?: readonly string[];
  features?: readonly Feature[];
  defaults?: readonly D[];
  falseIsAbsent?: readonly string[];
  emptyIsAbsent?: readonly string[];
  /** Tool hints of MCP; an absent hint is false. */
  effect?: Partial<Effect>;
  /** Checks the rules between arguments, after the schema check and before defaults are filled in. */
  rules?(args: Static<A>): Problem | null;
  /** Shown in OpenAPI; a test validates them against the schemas. */
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
  feature: Feature | null;
  defaults: readonly D[];
  falseIsAbsent: readonly string[];
  emptyIsAbsent: readonly string[];
  effect: Effect;
  waits: boolean;
}

export function defineAction<N extends string, A extends TObject, R extends TObject, D extends string = never>(
  spec: ActionSpec<N, A, R, D>,
): Action<N, A, R, D> {
  const features = spec.features ?? [];
  return {
    ...spec,
    args: spec.form === undefined ? spec.args : arranged(spec.args, spec.form),
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

export function argsObject<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export function answerObject<P extends TProperties>(properties: P) {
  return Type.Object({ ok: Type.Literal(true), ...properties });
}

export const nothingToDo = (...names: string[]): Problem => ({
  message: `There is nothing to do: send at least one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`,
});
