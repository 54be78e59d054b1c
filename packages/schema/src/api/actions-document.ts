import { actions, compounds } from '../actions/index.js';
import { withoutForm } from '../base/argument-form.js';
import type { ActionName, CompoundName } from '../actions/index.js';

export interface ActionDescription {
  name: ActionName | CompoundName;
  kind: 'action' | 'compound';
  summary: string;
  description: string;
  method: 'POST';
  path: string;
  tool: string;
  /** JSON Schema 2020-12, a plain object schema. */
  arguments: Record<string, unknown>;
  answer: Record<string, unknown>;
}

export interface ActionsDocument {
  ok: true;
  actions: ActionDescription[];
}

/** As GET /v1/actions returns it. */
export function actionsDocument(): ActionsDocument {
  return withoutForm(formDocument());
}

/** With the keywords by which the page arranges the arguments. */
export function formDocument(): ActionsDocument {
  return { ok: true, actions: [...actions.map((each) => describe(each, 'action')), ...compounds.map((each) => describe(each, 'compound'))] };
}

function describe(
  { name, summary, description, args, answer }: (typeof actions | typeof compounds)[number],
  kind: ActionDescription['kind'],
): ActionDescription {
  return {
    name,
    kind,
    summary,
    description,
    method: 'POST',
    path: `/v1/robots/{robot}/${name}`,
    tool: `robot_${name}`,
    arguments: plain(args),
    answer: plain(answer),
  };
}

function plain(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}
