import { randomUUID } from 'node:crypto';
import { actionByName, type ArgsOf, type PictureRef } from '@perch/schema';
import { questionScene, tidyText } from '@perch/screen';
import type { RenderOptions } from '../media/media-maker.js';
import { drawPages, onePage, type PagedPicture } from '../media/paged-text.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './action.js';
import { notesFields, requireWhole } from './picture-notes.js';
import { askedOf, timeoutMs, waitFields } from './wait-fields.js';

const needs = actionByName.get('ask')!.features;

export const createAsk =
  ({ waits, media }: Pick<ActionServices, 'waits' | 'media'>): Action<'ask'> =>
  async (call, args) => {
    const ended = await waits.run(call, {
      kind: 'ask',
      needs,
      targets: questionScene(args).targets,
      timeoutMs: timeoutMs(args.timeout_s),
      picture: (robot, options) => drawQuestion(media, robot, args, options),
      shown: (at) => call.noteShown({ at, action: 'ask', args }),
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
  options: RenderOptions,
): Promise<PagedPicture> {
  const { overflow, ...shown } = args;
  const draw = (drawing?: string): Promise<PagedPicture> => {
    const drawPage = (page?: number): Promise<PictureRef> => {
      const { scene } = questionScene(page === undefined ? shown : { ...shown, page });
      return media.draw(robot, drawing === undefined ? scene : { ...scene, drawing }, options);
    };
    return overflow === 'pages' ? drawPages(robot, drawPage) : drawPage().then(onePage);
  };
  const found = await draw();
  if (args.whole !== true) return found;
  // A renderer of 0.9.0, which takes no notes, drew it: a newer one may draw it now, under another hash.
  const drawn = found.picture.notes === undefined ? await draw(randomUUID()) : found;
  const texts = [['question', args.question] as const, ...args.answers.map((answer, i) => [`answers[${i}]`, answer] as const)];
  requireWhole(drawn.picture, new Map(texts.map(([name, text]) => [name, tidyText(text)])), (field) =>
    field === 'question' && overflow !== 'pages' ? 'send a shorter text, or overflow: "pages"' : 'send a shorter text',
  );
  return drawn;
}
