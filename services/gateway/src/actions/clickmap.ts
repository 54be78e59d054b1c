import { actionByName } from '@perch/schema';
import { pictureScene, regionTargets } from '@perch/screen';
import { onePage } from '../media/paged-text.js';
import type { Action, ActionServices } from './action.js';
import { questionOutcomeOf, timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('clickmap')!.features;

export const createClickmap =
  ({ waits, media }: Pick<ActionServices, 'waits' | 'media'>): Action<'clickmap'> =>
  async (call, { regions, image, timeout_s }) => {
    const ended = await waits.run(call, {
      kind: 'clickmap',
      needs,
      targets: regionTargets(regions),
      timeoutMs: timeoutMs(timeout_s),
      picture:
        image === undefined
          ? null
          : (robot, options) => media.drawSent(robot, [{ field: 'image', text: image }], ([upload]) => pictureScene(upload!), options).then(onePage),
    });
    call.noteQuestion(questionOutcomeOf(ended, null, ended.outcome === 'answered' ? (regions[ended.index]?.id ?? null) : null));
    if (ended.outcome !== 'answered') return { ...waitFields(ended), region: null, index: null, x: null, y: null };
    return { ...waitFields(ended), region: regions[ended.index]?.id ?? null, index: ended.index, x: ended.x, y: ended.y };
  };
