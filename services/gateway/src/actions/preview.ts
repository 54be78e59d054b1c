/** Also for a robot that is away: refuses what the action would, but not what only the robot can refuse (offline, busy, face covered). */
import { actionByName, validateArgs, type PictureRef, type PreviewedAction } from '@perch/schema';
import { ownScreenScene, type OwnScreen } from '@perch/screen';
import type { Call } from '../calls/call.js';
import type { SentOptions } from '../media/media-maker.js';
import { imageTtlMs, type ScreenImage } from '../media/screen-reader.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { unknownRobot, type CachedRobot } from '../robots/robot-directory.js';
import type { ActionServices } from './action.js';
import { drawQuestion, firstPicture } from './ask.js';
import { drawMenu } from './menu.js';
import { drawBubble } from './say.js';
import { drawCard } from './show.js';

/** @throws {ApiError} in the order 400, 501, then errors of drawing */
export type Preview = (name: PreviewedAction, call: Call, body: unknown) => Promise<ScreenImage>;

type Draw = (robot: CachedRobot, options: SentOptions) => Promise<PictureRef>;

export function createPreview({
  clock,
  directory,
  media,
  screenImages,
  states,
}: Pick<ActionServices, 'clock' | 'directory' | 'media' | 'screenImages' | 'states'>): Preview {
  return async (name, call, body) => {
    const draw = drawingOf(name, call, body);
    const robot = await directory.find(call.robot);
    if (robot === null) throw unknownRobot();
    // A robot that never connected has not declared its features.
    if (robot.record.model !== null) requireFeatures(robot.record, actionByName.get(name)!.features);
    const { signal, span, time } = call;
    return screenImages.draw(robot, (pngRobot) => draw(pngRobot, { ttlMs: imageTtlMs, signal, span, time }));
  };

  function drawingOf(name: PreviewedAction, { robot: id }: Call, body: unknown): Draw {
    switch (name) {
      case 'show': {
        const args = validateArgs('show', body);
        return args.clear === true ? drawOwnScreen(id) : (robot, options) => drawCard(media, robot, args, clock.now(), options);
      }
      case 'say': {
        const { text, lang } = validateArgs('say', body);
        const drawFace = drawOwnScreen(id, { view: 'face', bubble: text, ...(lang === undefined ? {} : { lang }) });
        return async (robot, options) => {
          const bubble = await drawBubble(media, robot, { text, lang }, options);
          const face = await drawFace(robot, options);
          // The robot shows the picture of the text that it is sent, which may be cut where this drawing is not.
          return bubble?.notes === undefined ? face : { ...face, notes: bubble.notes };
        };
      }
      case 'ask': {
        const args = validateArgs('ask', body);
        return async (robot, options) => firstPicture(await drawQuestion(media, robot, args, options));
      }
      case 'menu': {
        const args = validateArgs('menu', body);
        return (robot, options) => drawMenu(media, robot, args, options);
      }
    }
  }

  function drawOwnScreen(id: string, changed: { view?: string; bubble?: string; lang?: string } = {}): Draw {
    return async (robot, options) => {
      const { showing, readings } = (await states.watch(id)).state;
      const own = { view: showing.view, emotion: showing.emotion, bubble: null, readings: readings as OwnScreen['readings'], ...changed };
      return media.draw(robot, ownScreenScene(own), options);
    };
  }
}
