import { actionByName } from '@perch/schema';
import type { Action, ActionServices } from './definition/action.js';

const needs = actionByName.get('face')!.features;

export const createFace =
  ({ commands }: Pick<ActionServices, 'commands'>): Action<'face'> =>
  async (call, args) => {
    await commands.send(call, { needs, command: { name: 'face', args: { ...args } } });
    return {};
  };
