/** Draws a card or question that a robot showed from its kept arguments, as a preview draws them: also for a robot that is away. */
import { actionByName, ApiError, validateArgs, type PictureRef, type ScreenAction } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { SentOptions } from '../media/media-maker.js';
import { imageTtlMs, type ScreenImage } from '../media/screen-reader.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { unknownRobot, type CachedRobot } from '../robots/robot-directory.js';
import type { ActionServices } from './action.js';
import { drawQuestion } from './ask.js';
import { drawClickmap } from './clickmap.js';
import { drawMenu } from './menu.js';
import { drawCard } from './show.js';

interface KeptScreen {
  action: ScreenAction;
  /** Redis ms. */
  at: number;
  args: Record<string, unknown>;
}

/** @throws {ApiError} unknown_robot; not_found: it can no longer be drawn; busy, render_failed, storage_full */
export type Redraw = (call: Pick<Call, 'robot' | 'signal' | 'span' | 'time'>, screen: KeptScreen) => Promise<ScreenImage>;

type Draw = (robot: CachedRobot, options: SentOptions) => Promise<PictureRef>;

/** Errors of arguments and pictures that an earlier call had accepted: the picture has expired, or the robot or the service is another by now. */
const outdated: readonly string[] = ['bad_argument', 'bad_picture', 'not_offered', 'not_whole'];

export function createRedraw({ directory, media, screenImages }: Pick<ActionServices, 'directory' | 'media' | 'screenImages'>): Redraw {
  return async ({ robot: id, signal, span, time }, screen) => {
    try {
      const draw = drawingOf(screen);
      const robot = await directory.find(id);
      if (robot === null) throw unknownRobot();
      requireFeatures(robot.record, actionByName.get(screen.action)!.features);
      return await screenImages.draw(robot, (pngRobot) => draw(pngRobot, { ttlMs: imageTtlMs, signal, span, time }));
    } catch (error) {
      if (!(error instanceof ApiError) || !outdated.includes(error.code)) throw error;
      throw new ApiError('not_found', `This can no longer be drawn. ${error.message}`, { cause: error });
    }
  };

  function drawingOf({ action, at, args }: KeptScreen): Draw {
    switch (action) {
      case 'show': {
        const card = validateArgs('show', args);
        return (robot, options) => drawCard(media, robot, card, at, options);
      }
      case 'ask': {
        const question = validateArgs('ask', args);
        return async (robot, options) => (await drawQuestion(media, robot, question, options, false)).picture;
      }
      case 'menu': {
        const menu = validateArgs('menu', args);
        return (robot, options) => drawMenu(media, robot, menu, options);
      }
      case 'clickmap': {
        const { image = '' } = validateArgs('clickmap', args);
        return (robot, options) => drawClickmap(media, robot, image, options);
      }
    }
  }
}
