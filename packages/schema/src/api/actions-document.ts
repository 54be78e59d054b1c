/** What `GET /v1/actions` answers: every action with its arguments and its answer as JSON Schema. */
import { actions, compounds } from '../actions/index.js';
import type { ActionName, CompoundName } from '../actions/index.js';

export interface ActionDescription {
  name: ActionName | CompoundName;
  /** compound: done as several actions in one call. */
  kind: 'action' | 'compound';
  summary: string;
  description: string;
  method: 'POST';
  path: string;
  /** Its name over MCP. */
  tool: string;
  /** JSON Schema 2020-12, a plain object schema. */
  arguments: Record<string, unknown>;
  answer: Record<string, unknown>;
}

export interface ActionsDocument {
  ok: true;
  actions: ActionDescription[];
}

/** Plain JSON, made anew at each call. */
export function actionsDocument(): ActionsDocument {
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

/** A schema as JSON: without what TypeBox keeps beside it. */
function plain(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}
