/** menu: shows tiles to choose from, and holds the call until a tap. */
import { actionByName, type ArgsOf } from '@perch/schema';
import { menuScene } from '@perch/screen';
import type { SentPicture } from '../media/media-maker.js';
import type { ActionHandler } from './index.js';
import { timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('menu')!.features;

export const menu: ActionHandler<'menu'> = async (call, args) => {
  const images = menuImages(args);
  const ended = await call.services.waits.run(
    call,
    {
      kind: 'menu',
      needs,
      targets: menuScene(args, []).targets,
      timeoutMs: timeoutMs(args.timeout_s),
      picture: (robot, options) => call.services.media.drawSent(robot, images, (uploads) => menuScene(args, uploads).scene, options),
    },
    call.signal,
  );
  const index = ended.outcome === 'answered' ? ended.index : null;
  const item = index === null ? undefined : args.items[index];
  const { id = null, label = null } = typeof item === 'string' ? { label: item } : (item ?? {});
  return { ...waitFields(ended), item: id ?? label, index, label };
};

export function menuImages({ items }: ArgsOf<'menu'>): (SentPicture | null)[] {
  return items.map((item, i) => (typeof item === 'string' || item.image === undefined ? null : { field: `items[${i}].image`, base64: item.image }));
}
