/** The actions as a service would serve them, without one. */
import { actionsDocument, openApiDocument } from '@perch/schema';
import { actionsOf, type ActionsDocument, type OpenApi, type ServedAction } from '../src/served.js';

const actions = actionsOf(actionsDocument() as unknown as ActionsDocument, openApiDocument('http://localhost') as unknown as OpenApi);

export function action(name: string): ServedAction {
  const found = actions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no action ${name}`);
  return found;
}

export { actions };
