import { randomUUID } from 'node:crypto';
import { actionByName, type ArgsOf, type PictureRef } from '@perch/schema';
import { questionScene, tidyText, type Scene } from '@perch/screen';
import type { RenderOptions } from '../media/media-maker.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './action.js';
import { notesFields, requireWhole } from './picture-notes.js';
import { askedOf, timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('ask')!.features;

export const createAsk =
  ({ waits, media }: Pick<ActionServices, 'waits' | 'media'>): Action<'ask'> =>
  async (call, args) => {
    const { scene, targets } = questionScene(args);
    const ended = await waits.run(call, {
      kind: 'ask',
      needs,
      targets,
      timeoutMs: timeoutMs(args.timeout_s),
      picture: (robot, options) => drawQuestion(media, robot, args, scene, options),
    });
    const index = ended.outcome === 'answered' ? ended.index : null;
    const answer = index === null ? null : (args.answers[index] ?? null);
    call.noteAsked(askedOf(ended, args.question, answer));
    return { ...waitFields(ended), answer, index, ...notesFields(ended.notes) };
  };

/** @throws {ApiError} not_whole naming the argument, if the call demands a whole question; errors of drawing */
export async function drawQuestion(
  media: ActionServices['media'],
  robot: KnownRobot,
  args: ArgsOf<'ask'>,
  scene: Scene,
  options: RenderOptions,
): Promise<PictureRef> {
  const found = await media.draw(robot, scene, options);
  if (args.whole !== true) return found;
  // A renderer of 0.9.0, which takes no notes, drew it: a newer one may draw it now, under another hash.
  const picture = found.notes === undefined ? await media.draw(robot, { ...scene, drawing: randomUUID() }, options) : found;
  const texts = [['question', args.question] as const, ...args.answers.map((answer, i) => [`answers[${i}]`, answer] as const)];
  requireWhole(picture, new Map(texts.map(([name, text]) => [name, tidyText(text)])));
  return picture;
}
