import {
  actionByName,
  type ArgsOf,
  type PictureRef,
  ApiError,
  countdownEnd,
  type CardCountdown,
  type CountdownArgs,
  type RobotCommand,
} from '@perch/schema';
import { cardScene, pictureScene, type CardArgs, countdownFrame, type Scene } from '@perch/screen';
import { newCardId, countdownCardId, newCountdownSeries } from '@perch/store';
import { type SentOptions, screenOf, type RenderOptions } from '../media/media-maker.js';
import { drawPages, type PagedPicture } from '../media/paged-text.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { noteScreen } from '../calls/call.js';
import { shownMediaMs } from '../calls/service-time.js';
import type { Action, ActionServices } from './action.js';
import { notesOfCommand, withNotesOf } from './picture-notes.js';
import { withoutQueueArgs } from '../waits/queue-calls.js';

/** Minimum lifetime of the pages of a text, ms: all of them are shown within two minutes, and the robot-link renews them. */
const pagesMediaMs = 180_000;

const needs = actionByName.get('show')!.features;
const ignoredWithPicture = [
  'text',
  'title',
  'note',
  'icon',
  'qr',
  'sparkline',
  'countdown',
  'progress',
  'align',
  'format',
  'mono',
  'color',
  'overflow',
  'lang',
] as const;

export const createShow =
  ({ clock, commands, directory, media, queue }: Pick<ActionServices, 'clock' | 'commands' | 'directory' | 'media' | 'queue'>): Action<'show'> =>
  async (call, args) => {
    if (args.clear === true) {
      await commands.send(call, { needs, command: { name: 'screen.clear', args: { layer: 'card' } } });
      await queue.cleared(call.robot);
      return {};
    }
    const countdown = args.image === undefined ? args.countdown : undefined;
    if (countdown !== undefined) requireEnd(countdown, clock.now());
    if (args.queue === true) {
      if (args.image !== undefined) await media.check(call.account, [{ field: 'image', text: args.image }]);
      return queue.show(call, { needs, args });
    }
    const draw = (robot: CachedRobot, signal: AbortSignal, now = clock.now()): Promise<PagedPicture> => {
      const options = { signal, span: call.span, time: call.time };
      if (args.overflow !== 'pages' || args.image !== undefined)
        return drawCard(media, robot, args, now, { ...options, ttlMs: shownMediaMs }).then((picture) => ({ picture, pages: [] }));
      return drawPages((page) => media.draw(robot, cardScene(cardArgs(args, page)), { ...options, ttlMs: pagesMediaMs }));
    };
    let sent: PictureRef | undefined;
    await commands.send(call, {
      needs,
      command: async (robot, signal) => {
        const now = clock.now();
        const { picture, pages } = await draw(robot, signal, now);
        sent = picture;
        if (countdown !== undefined)
          return countdownCommand(robot, countdownCard(cardArgs(args), countdown, now), picture, requireEnd(countdown, clock.now()));
        const command = {
          name: 'screen.show',
          args: { layer: 'card', id: newCardId(picture.hash, pages.length > 0) },
          attachments: [{ path: [], picture }],
        };
        if (pages.length === 0) return command;
        return {
          ...command,
          pages: pages.map((page, i) => ({ ...page, id: i === pages.length - 1 ? command.args.id : newCardId(page.picture.hash, true) })),
        };
      },
    });
    noteScreen(call, { at: clock.now(), action: 'show', args });
    const ignored = args.image === undefined ? [] : ignoredWithPicture.filter((name) => args[name] !== undefined);
    const notes = await notesOfCommand(call, directory, sent, async (robot, signal) => (await draw(robot, signal)).picture);
    return ignored.length === 0 ? notes : { ignored, ...notes };
  };

/** Draws a card, its text's first page, or its countdown's first second (`now`: Redis ms). @throws {ApiError} also bad_argument (countdown.until) */
export async function drawCard(
  media: ActionServices['media'],
  robot: CachedRobot,
  args: ArgsOf<'show'>,
  now: number,
  options: SentOptions,
): Promise<PictureRef> {
  const { image, background, countdown } = args;
  if (image !== undefined) return media.drawSent(robot, [{ field: 'image', text: image }], ([upload]) => pictureScene(upload!, background), options);
  if (countdown !== undefined) return drawCountdown(media, robot, countdownCard(cardArgs(args), countdown, now), options);
  return media.draw(robot, cardScene(cardArgs(args, args.overflow === 'pages' ? 0 : undefined)), options);
}

/** The arguments of the queue are no part of a card: equal cards have the same picture. */
function cardArgs(args: ArgsOf<'show'>, page?: number): CardArgs {
  const { overflow: _overflow, image: _image, countdown: _countdown, ...card } = withoutQueueArgs(args);
  return page === undefined ? card : { ...card, page };
}

/** The countdown of a card: the gateway draws the second with which it begins, and the robot-link has the following ones drawn. */
interface CountdownCard {
  scene: Scene;
  rest: number;
  hasDone: boolean;
}

/** @param now Redis time, ms @returns when the countdown ends, ms @throws {ApiError} bad_argument naming countdown.until */
function requireEnd(countdown: CountdownArgs, now: number): number {
  const end = countdownEnd(countdown, now);
  if (typeof end === 'number') return end;
  throw new ApiError('bad_argument', `${end.field}: ${end.message}`, { field: end.field });
}

/** @throws {ApiError} bad_argument naming countdown.until */
function countdownCard(
  { countdown: _countdown, ...card }: Omit<CardArgs, 'countdown'> & { countdown?: unknown },
  countdown: CountdownArgs,
  now: number,
): CountdownCard {
  const rest = Math.max(0, Math.ceil((requireEnd(countdown, now) - now) / 1000));
  const { done } = countdown;
  return { scene: cardScene({ ...card, countdown: { rest, ...(done === undefined ? {} : { done }) } }), rest, hasDone: done !== undefined };
}

/** Draws the first picture. Its notes include those of the text at the end. */
async function drawCountdown(
  media: ActionServices['media'],
  robot: CachedRobot,
  { scene, rest, hasDone }: CountdownCard,
  options: RenderOptions,
): Promise<PictureRef> {
  const last = hasDone && rest > 0 ? [countdownFrame(scene, 0)] : [];
  const [first, ...others] = await Promise.all([scene, ...last].map((each) => media.draw(robot, each, options)));
  return withNotesOf(first!, others);
}

/** @param end Redis time, ms; of a countdown of seconds, counted from when its first picture was ready */
function countdownCommand(robot: CachedRobot, { scene, rest }: CountdownCard, picture: PictureRef, end: number): RobotCommand {
  const attachments = [{ path: [], picture }];
  if (rest === 0) return { name: 'screen.show', args: { layer: 'card', id: newCardId(picture.hash) }, attachments };
  const countdown: CardCountdown = { end, scene, ...screenOf(robot) };
  const id = countdownCardId(picture.hash, newCountdownSeries());
  return { name: 'screen.show', args: { layer: 'card', id }, attachments, countdown };
}
