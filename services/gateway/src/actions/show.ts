import { actionByName, type ArgsOf, type PictureRef } from '@perch/schema';
import { cardScene, pictureScene, type CardArgs } from '@perch/screen';
import { newCardId } from '@perch/store';
import type { SentOptions } from '../media/media-maker.js';
import { drawPages, type PagedPicture } from '../media/paged-text.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import { noteShown } from '../calls/call-notes.js';
import { shownMediaMs } from '../calls/deadlines.js';
import type { Action, ActionServices } from './definition/action.js';
import { countdownCard, countdownCommand, drawCountdown, requireEnd } from './screens/card-countdown.js';
import { notesOfCommand } from './screens/picture-notes.js';
import { unqueued } from '../waits/queued-calls.js';

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
    const draw = (robot: KnownRobot, signal: AbortSignal, now = clock.now()): Promise<PagedPicture> => {
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
    noteShown(call, { at: clock.now(), action: 'show', args });
    const ignored = args.image === undefined ? [] : ignoredWithPicture.filter((name) => args[name] !== undefined);
    const notes = await notesOfCommand(call, directory, sent, async (robot, signal) => (await draw(robot, signal)).picture);
    return ignored.length === 0 ? notes : { ignored, ...notes };
  };

/** Draws a card, its text's first page, or its countdown's first second (`now`: Redis ms). @throws {ApiError} also bad_argument (countdown.until) */
export async function drawCard(
  media: ActionServices['media'],
  robot: KnownRobot,
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
  const { overflow: _overflow, image: _image, countdown: _countdown, ...card } = unqueued(args);
  return page === undefined ? card : { ...card, page };
}
