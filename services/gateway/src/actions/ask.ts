/** ask: shows a question with its answers as buttons, and holds the call until a tap. */
import { actionByName } from '@perch/schema';
import { questionScene } from '@perch/screen';
import type { ActionHandler } from './index.js';
import { timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('ask')!.features;

export const ask: ActionHandler<'ask'> = async (call, args) => {
  const { scene, targets } = questionScene(args);
  const ended = await call.services.waits.run(
    call,
    {
      kind: 'ask',
      needs,
      targets,
      timeoutMs: timeoutMs(args.timeout_s),
      picture: (robot, options) => call.services.media.draw(robot, scene, options),
    },
    call.signal,
  );
  const index = ended.outcome === 'answered' ? ended.index : null;
  return { ...waitFields(ended), answer: index === null ? null : (args.answers[index] ?? null), index };
};
