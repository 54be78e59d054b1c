import { noteScreen } from '../calls/call.js';
import { actionByName, ApiError, askTimeoutS, limits, type ArgsOf, type PictureRef } from '@perch/schema';
import { questionScene, tidyText } from '@perch/screen';
import type { RenderOptions } from '../media/media-maker.js';
import { drawPages, onePage, pageTimes, withCutQuestion, withGreyPages, type PagedPicture } from '../media/paged-text.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { type Action, type ActionServices, noteOutcome, timeoutMs, waitFields } from './action.js';
import { notesFields, requireVisible, requireWhole } from './picture-notes.js';
import { detachingOf, saidBy, type WaitResult } from '../waits/wait.js';

const needs = actionByName.get('ask')!.features;
const { afterLongMs } = limits.answer;
const { timeoutSDefault, timeoutSMax } = limits.wait;

export const createAsk =
  ({ waits, media, queue }: Pick<ActionServices, 'waits' | 'media' | 'queue'>): Action<'ask'> =>
  async (call, args) => {
    const choices = args.answers.map((label) => ({ label }));
    const timed = { ...args, timeout_s: askTimeoutS(args) };
    const timeMs = timeoutMs(timed.timeout_s);
    const asked = (): Promise<WaitResult> =>
      waits.run(call, {
        kind: 'ask',
        needs,
        targets: questionScene(args).targets,
        timeoutMs: timeMs,
        picture: (robot, options) => drawQuestion(media, robot, args, options, args.whole === true || call.asksApprovals),
        mayPrerender: true,
        onShown: (at) => noteScreen(call, { at, action: 'ask', args: timed }),
        approval: args.whole === true,
        deny: args.deny,
        says: saidBy(args.question, 'Answers', args.answers),
        names: args.answers,
        ...detachingOf(call, timed, choices),
      });
    const result = await (args.queue === true ? queue.ask(call, { needs, args: timed, choices, timeoutMs: timeMs }) : asked());
    const index = result.outcome === 'answered' ? result.index : null;
    const answer = index === null ? null : (args.answers[index] ?? null);
    noteOutcome(call, result, args.question, answer);
    return { ...waitFields(result), answer, index, ...notesFields(result.notes) };
  };

/**
 * @param isApproval also draw what shows until the answers count, at the same time
 * @throws {ApiError} not_whole naming the argument, if the call demands a whole question; errors of drawing
 */
export async function drawQuestion(
  media: ActionServices['media'],
  robot: CachedRobot,
  args: ArgsOf<'ask'>,
  options: RenderOptions,
  isApproval = args.whole === true,
): Promise<PagedPicture> {
  const { overflow, ...shown } = args;
  const texts = new Map([['question', args.question], ...args.answers.map((answer, i) => [`answers[${i}]`, answer] as const)]);
  if (args.whole === true) requireVisible(texts);
  const ms = timeoutMs(askTimeoutS(args));
  const drawPage = (page?: number, grey = false): Promise<PictureRef> =>
    media.draw(robot, questionScene({ ...shown, ...(page === undefined ? {} : { page }), ...(grey && { grey }) }).scene, options);
  const greyPage = isApproval ? drawPage(overflow === 'pages' ? 0 : undefined, true) : null;
  // An error of the pages comes first.
  greyPage?.catch(() => {});
  const drawn = overflow === 'pages' ? inTime(await drawPages(drawPage), isApproval ? ms - afterLongMs : ms) : onePage(await drawPage());
  if (args.whole === true) {
    requireTime(drawn, ms);
    if (args.timeout_s === undefined) drawn.timeoutMs = pagesTimeoutMs(drawn);
    requireWhole(drawn.picture, new Map([...texts].map(([name, text]) => [name, tidyText(text)])), (field) =>
      field === 'question' && overflow !== 'pages' ? 'send a shorter text, or overflow: "pages"' : 'send a shorter text',
    );
  }
  if (greyPage === null) return drawn;
  const others = args.whole === true ? drawn.pages.slice(1).map((_, i) => drawPage(i + 1, true)) : [];
  return withGreyPages(drawn, await Promise.all([greyPage, ...others]));
}

/** Returns the first page as the person reads it. */
export function firstPicture({ picture, pages, greyPages }: PagedPicture): PictureRef {
  return pages.length === 0 ? picture : (greyPages?.[0]?.picture ?? picture);
}

/** The notes say that the question is cut if the time runs out before its last page shows. */
function inTime(paged: PagedPicture, ms: number): PagedPicture {
  if (pageTimes(paged).beforeLast < ms) return paged;
  return { ...paged, picture: { ...paged.picture, notes: withCutQuestion(paged.picture.notes) } };
}

/** Time that a person has on the last page at least, ms: to read it and to tap. */
const lastPageMs = 10_000;

/** @throws {ApiError} not_whole: the time runs out before a person has read the last page and answered */
function requireTime(paged: PagedPicture, ms: number): void {
  if (paged.pages.length === 0) return;
  const { beforeLast } = pageTimes(paged);
  const neededMs = neededMsOf(paged);
  if (neededMs <= ms) return;
  const message = `question: the last of its ${paged.pages.length} pages comes after ${beforeLast / 1000} s, and needs ${(neededMs - beforeLast) / 1000} s; send a timeout_s of ${Math.ceil(neededMs / 1000)} or more, or a shorter text`;
  throw new ApiError('not_whole', message, { field: 'question' });
}

function neededMsOf(paged: PagedPicture): number {
  const { all, beforeLast } = pageTimes(paged);
  return Math.max(all, beforeLast + lastPageMs);
}

/** Returns the time of a question whose call left it to its pages: the default from when the last one comes. */
function pagesTimeoutMs(paged: PagedPicture): number {
  return Math.max(neededMsOf(paged), Math.min(pageTimes(paged).beforeLast + timeoutMs(timeoutSDefault), timeoutMs(timeoutSMax)));
}
