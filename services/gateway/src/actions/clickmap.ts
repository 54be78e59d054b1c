/** clickmap: makes regions of the screen, or of a picture shown first, tappable, and holds the call until a tap in one of them. */
import { actionByName } from '@perch/schema';
import { pictureScene, regionTargets } from '@perch/screen';
import type { ActionHandler } from './index.js';
import { timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('clickmap')!.features;

export const clickmap: ActionHandler<'clickmap'> = async (call, { regions, image, timeout_s }) => {
  const { media, waits } = call.services;
  const ended = await waits.run(
    call,
    {
      kind: 'clickmap',
      needs,
      targets: regionTargets(regions),
      timeoutMs: timeoutMs(timeout_s),
      picture:
        image === undefined
          ? null
          : (robot, options) => media.drawSent(robot, [{ field: 'image', base64: image }], ([upload]) => pictureScene(upload!), options),
    },
    call.signal,
  );
  if (ended.outcome !== 'answered') return { ...waitFields(ended), region: null, index: null, x: null, y: null };
  return { ...waitFields(ended), region: regions[ended.index]?.id ?? null, index: ended.index, x: ended.x, y: ended.y };
};
