/** say: shows a speech bubble. For a robot with the feature `bubble_picture`, it is also rendered here, since the robot's fonts may lack the script. */
import { actionByName } from '@perch/schema';
import { bubbleScene } from '@perch/screen';
import { commandMediaMs } from '../robots/robot-commands.js';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('say')!.features;

export const say: ActionHandler<'say'> = async (call, { text, seconds }) => {
  const { commands, media } = call.services;
  await commands.send(call, {
    needs,
    command: async (robot, signal) => {
      const bubble = { name: 'bubble', args: { text, seconds } };
      if (!robot.record.hello.features.includes('bubble_picture')) return bubble;
      const picture = await media.draw(robot, bubbleScene(text), { ttlMs: commandMediaMs, signal, span: call.span });
      return { ...bubble, args: { ...bubble.args, w: picture.w, h: picture.h }, attachments: [{ path: [], picture }] };
    },
  });
  return {};
};
