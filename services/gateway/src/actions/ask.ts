import { noteShown } from '../calls/call-notes.js';
import { actionByName, ApiError, type ArgsOf, type PictureRef } from '@perch/schema';
import { questionScene, tidyText } from '@perch/screen';
import type { RenderOptions } from '../media/media-maker.js';
import { drawPages, onePage, pageTimes, withCutQuestion, type PagedPicture } from '../media/paged-text.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './definition/action.js';
import { notesFields, requireWhole } from './screens/picture-notes.js';
import { noteOutcome, timeoutMs, waitFields } from './definition/wait-fields.js';
import type { Ended } from '../waits/wait-outcome.js';
import { detachingOf } from '../waits/wait-plan.js';

const needs = actionByName.get('ask')!.features;

export const createAsk =
  ({ waits, media, queue }: Pick<ActionServices, 'waits' | 'media' | 'queue'>): Action<'ask'> =>
  async (call, args) => {
    const choices = args.answers.map((label) => ({ label }));
    const asked = (): Promise<Ended> =>
      waits.run(call, {
        kind: 'ask',
        needs,
        targets: questionScene(args).targets,
        timeoutMs: timeoutMs(args.timeout_s),
        picture: (robot, options) => drawQuestion(media, robot, args, options),
        mayDrawEarly: true,
        shown: (at) => noteShown(call, { at, action: 'ask', args }),
        ...detachingOf(call, args, choices),
      });
    const ended = await (args.queue === true ? queue.ask(call, { needs, args, choices, timeoutMs: timeoutMs(args.timeout_s) }) : asked());
    const index = ended.outcome === 'answered' ? ended.index : null;
    const answer = index === null ? null : (args.answers[index] ?? null);
    noteOutcome(call, ended, args.question, answer);
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
  const ms = timeoutMs(args.timeout_s);
  const drawPage = (page?: number): Promise<PictureRef> => {
    const { scene } = questionScene(page === undefined ? shown : { ...shown, page });
    return media.draw(robot, scene, options);
  };
  const drawn = overflow === 'pages' ? inTime(await drawPages(drawPage), ms) : onePage(await drawPage());
  if (args.whole !== true) return drawn;
  requireTime(drawn, ms);
  const texts = [['question', args.question] as const, ...args.answers.map((answer, i) => [`answers[${i}]`, answer] as const)];
  requireWhole(drawn.picture, new Map(texts.map(([name, text]) => [name, tidyText(text)])), (field) =>
    field === 'question' && overflow !== 'pages' ? 'send a shorter text, or overflow: "pages"' : 'send a shorter text',
  );
  return drawn;
}

/** The notes say that the question is cut if the time runs out before its last page shows. */
function inTime(paged: PagedPicture, ms: number): PagedPicture {
  if (pageTimes(paged).beforeLast < ms) return paged;
  return { ...paged, picture: { ...paged.picture, notes: withCutQuestion(paged.picture.notes) } };
}

/** @throws {ApiError} not_whole: nobody can read the last page before the time runs out */
function requireTime(paged: PagedPicture, ms: number): void {
  const { all } = pageTimes(paged);
  if (all <= ms) return;
  const message = `question: its ${paged.pages.length} pages show for ${all / 1000} s together; send a timeout_s of ${Math.ceil(all / 1000)} or more, or a shorter text`;
  throw new ApiError('not_whole', message, { field: 'question' });
}
