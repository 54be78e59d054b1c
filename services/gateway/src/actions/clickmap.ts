/** clickmap: regions over what the screen shows, or over a picture shown first; held until a tap in one of them. */
import { actionByName } from '@perch/schema';
import { pictureScene, regionTargets } from '@perch/screen';
import type { ActionHandler } from './index.js';
import { timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('clickmap')!.features;

export const clickmap: ActionHandler<'clickmap'> = async (call, { regions, image, timeout_s }) => {
  const { media, waits } = call.tools;
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
          : (robot, making) => media.drawSent(robot, [{ field: 'image', base64: image }], ([upload]) => pictureScene(upload!), making),
    },
    call.signal,
  );
  if (ended.outcome !== 'answered') return { ...waitFields(ended), region: null, index: null, x: null, y: null };
  return { ...waitFields(ended), region: regions[ended.index]?.id ?? null, index: ended.index, x: ended.x, y: ended.y };
};
