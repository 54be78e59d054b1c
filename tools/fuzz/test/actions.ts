/** The actions and tools as a service would serve them, built without one. */
import { actionsDocument, openApiDocument, tools as ourTools } from '@perch/schema';
import { toolsOf, type ListedTool } from '../src/mcp/served-tools.js';
import { actionsOf, type ActionsDocument, type OpenApi, type ServedAction } from '../src/served.js';

export const openApi = openApiDocument('http://localhost') as unknown as OpenApi;
export const actions = actionsOf(actionsDocument() as unknown as ActionsDocument, openApi);

const listed = ourTools.map(({ definition }) => definition) as unknown as ListedTool[];
export const tools = toolsOf(listed, actions, openApi);

export function action(name: string): ServedAction {
  return named(actions, name);
}

export function tool(name: string): ServedAction {
  return named(tools, name);
}

function named(all: readonly ServedAction[], name: string): ServedAction {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}
