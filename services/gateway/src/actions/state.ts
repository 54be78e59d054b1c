import type { Action, ActionServices } from './definition/action.js';

export const createState =
  ({ states, detachedWaits, keyValidity }: Pick<ActionServices, 'states' | 'detachedWaits' | 'keyValidity'>): Action<'state'> =>
  async (call) => {
    const state = await states.read(call.account, call.robot);
    if (state.showing.question === null) return state;
    const wait = await detachedWaits.openOf(call.robot, await keyValidity.ownerOf(call, 'before the state was read'));
    return wait === null ? state : { ...state, showing: { ...state.showing, wait } };
  };
