/** show: shows a card or a picture on the robot's card layer, or clears the layer. */
import { actionByName } from '@perch/schema';
import { cardScene, pictureScene } from '@perch/screen';
import { newCardId } from '../media/media-maker.js';
import { commandMediaMs } from '../robots/robot-commands.js';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('show')!.features;
const ignoredWithPicture = ['text', 'title', 'note', 'progress', 'color'] as const;

export const show: ActionHandler<'show'> = async (call, args) => {
  const { commands, media } = call.services;
  if (args.clear === true) {
    await commands.send(call, { needs, command: { name: 'screen.clear', args: { layer: 'card' } } });
    return {};
  }
  const { image, ...card } = args;
  await commands.send(call, {
    needs,
    command: async (robot, signal) => {
      const options = { ttlMs: commandMediaMs, signal, span: call.span };
      const picture =
        image === undefined
          ? await media.draw(robot, cardScene(card), options)
          : await media.drawSent(robot, [{ field: 'image', base64: image }], ([upload]) => pictureScene(upload!, card.background), options);
      return { name: 'screen.show', args: { layer: 'card', id: newCardId(picture.hash) }, attachments: [{ path: [], picture }] };
    },
  });
  const ignored = image === undefined ? [] : ignoredWithPicture.filter((name) => card[name] !== undefined);
  return ignored.length === 0 ? {} : { ignored };
};
