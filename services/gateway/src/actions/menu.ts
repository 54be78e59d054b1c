import { actionByName, type ArgsOf, type PictureRef, type WaitChoice } from '@perch/schema';
import { noteScreen } from '../calls/call.js';
import { menuScene } from '@perch/screen';
import type { SentOptions } from '../media/media-maker.js';
import { onePage } from '../media/paged-text.js';
import type { SentPicture } from '../media/picture-sources.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { type Action, type ActionServices, noteOutcome, timeoutMs, waitFields } from './action.js';
import { notesFields } from './picture-notes.js';
import { detachingOf, saidBy } from '../waits/wait.js';

const needs = actionByName.get('menu')!.features;

export const createMenu =
  ({ waits, media }: Pick<ActionServices, 'waits' | 'media'>): Action<'menu'> =>
  async (call, args) => {
    const result = await waits.run(call, {
      kind: 'menu',
      needs,
      targets: menuScene(args, []).targets,
      timeoutMs: timeoutMs(args.timeout_s),
      picture: (robot, options) => drawMenu(media, robot, args, options).then(onePage),
      ...(menuImages(args).every((image) => image === null) && { mayPrerender: true }),
      onShown: (at) => noteScreen(call, { at, action: 'menu', args }),
      says: saidBy(args.title ?? '', 'Tiles', args.items.map(nameOf)),
      names: args.items.map(nameOf),
      ...detachingOf(call, args, args.items.map(choiceOf)),
    });
    const index = result.outcome === 'answered' ? result.index : null;
    const item = index === null ? undefined : args.items[index];
    const { id = null, label = null } = typeof item === 'string' ? { label: item } : (item ?? {});
    noteOutcome(call, result, args.title ?? null, label ?? id);
    return { ...waitFields(result), item: id ?? label, index, label, ...notesFields(result.notes) };
  };

export function menuImages({ items }: ArgsOf<'menu'>): (SentPicture | null)[] {
  return items.map((item, i) => (typeof item === 'string' || item.image === undefined ? null : { field: `items[${i}].image`, text: item.image }));
}

export async function drawMenu(media: ActionServices['media'], robot: CachedRobot, args: ArgsOf<'menu'>, options: SentOptions): Promise<PictureRef> {
  return media.drawSent(robot, menuImages(args), (uploads) => menuScene(args, uploads).scene, options);
}

function nameOf(item: ArgsOf<'menu'>['items'][number]): string {
  return typeof item === 'string' ? item : (item.label ?? item.icon ?? 'a picture');
}

function choiceOf(item: ArgsOf<'menu'>['items'][number]): WaitChoice {
  if (typeof item === 'string') return { label: item };
  return { ...(item.id === undefined ? {} : { id: item.id }), ...(item.label === undefined ? {} : { label: item.label }) };
}
