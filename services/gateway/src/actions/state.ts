import type { Action, ActionServices } from './definition/action.js';

export const createState =
  ({ states }: Pick<ActionServices, 'states'>): Action<'state'> =>
  (call) =>
    states.read(call.account, call.robot);
