/** face: sets the emotion, or the view that the robot shows below cards. */
import { actionByName } from '@perch/schema';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('face')!.features;

export const face: ActionHandler<'face'> = async (call, args) => {
  await call.services.commands.send(call, { needs, command: { name: 'face', args: { ...args } } });
  return {};
};
