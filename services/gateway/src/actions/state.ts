/** state: reads the robot's description, readings, screen and latest events. */
import type { ActionHandler } from './index.js';

export const state: ActionHandler<'state'> = (call) => call.services.states.read(call.account, call.robot);
