/** The robot clamps the angles and returns the ones it used. */
import { actionByName, type RobotCommand } from '@perch/schema';
import type { Action, ActionServices } from './definition/action.js';

const needs = actionByName.get('move')!.features;

export const createMove =
  ({ commands }: Pick<ActionServices, 'commands'>): Action<'move'> =>
  async (call, { gesture, yaw, pitch }) => {
    const command: RobotCommand =
      gesture === undefined
        ? { name: 'head.move', args: { ...(yaw === undefined ? {} : { yaw }), ...(pitch === undefined ? {} : { pitch }) } }
        : { name: 'head.gesture', args: { name: gesture } };
    const { result } = await commands.send(call, { needs, command });
    return { yaw: numberOrNull(result['yaw']), pitch: numberOrNull(result['pitch']) };
  };

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
