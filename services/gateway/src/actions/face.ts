/** face: the emotion and the robot's own screen under cards. */
import { actionByName } from '@perch/schema';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('face')!.features;

export const face: ActionHandler<'face'> = async (call, args) => {
  await call.tools.commands.send(call, { needs, command: { name: 'face', args: { ...args } } });
  return {};
};
