import { actionByName, type PictureRef } from '@perch/schema';
import { noteScreen } from '../calls/call.js';
import { pictureScene, regionTargets } from '@perch/screen';
import type { SentOptions } from '../media/media-maker.js';
import { onePage } from '../media/paged-text.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { type Action, type ActionServices, noteOutcome, timeoutMs, waitFields } from './action.js';
import { detachingOf } from '../waits/wait.js';

const needs = actionByName.get('clickmap')!.features;

export const createClickmap =
  ({ waits, media }: Pick<ActionServices, 'waits' | 'media'>): Action<'clickmap'> =>
  async (call, args) => {
    const { regions, image, timeout_s } = args;
    const picture =
      image === undefined
        ? { picture: null }
        : {
            picture: (robot: CachedRobot, options: SentOptions) => drawClickmap(media, robot, image, options).then(onePage),
            onShown: (at: number) => noteScreen(call, { at, action: 'clickmap', args }),
          };
    const choices = regions.map(({ id }) => ({ id }));
    const result = await waits.run(call, {
      kind: 'clickmap',
      needs,
      targets: regionTargets(regions),
      timeoutMs: timeoutMs(timeout_s),
      ...picture,
      ...detachingOf(call, args, choices),
    });
    noteOutcome(call, result, null, result.outcome === 'answered' ? (regions[result.index]?.id ?? null) : null);
    if (result.outcome !== 'answered') return { ...waitFields(result), region: null, index: null, x: null, y: null };
    return { ...waitFields(result), region: regions[result.index]?.id ?? null, index: result.index, x: result.x, y: result.y };
  };

export async function drawClickmap(media: ActionServices['media'], robot: CachedRobot, image: string, options: SentOptions): Promise<PictureRef> {
  return media.drawSent(robot, [{ field: 'image', text: image }], ([upload]) => pictureScene(upload!), options);
}
