/** state: what the robot is, senses and shows, and what people did last. */
import type { ActionHandler } from './index.js';

export const state: ActionHandler<'state'> = (call) => call.tools.states.read(call.account, call.robot);
