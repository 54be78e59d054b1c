/** Reads what a robot's screen shows now, as a picture: the question or card on it, or the robot's own screen as the service draws it. */
import { ApiError, type PictureNotes, type PictureRef } from '@perch/schema';
import { ownScreenScene, pictureScene, type OwnScreen } from '@perch/screen';
import type { Store } from '@perch/store';
import type { Call } from '../calls/call.js';
import { requireFeatures } from '../robots/robot-commands.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import type { MediaMaker, RenderOptions } from './media-maker.js';

type ScreenCall = Pick<Call, 'account' | 'robot' | 'signal' | 'span'>;

export interface ScreenPicture {
  format: PictureRef['format'];
  bytes: Buffer;
  notes: PictureNotes;
}

export interface ScreenReaderOptions {
  store: Pick<Store, 'screenPictures'>;
  states: RobotStates;
  media: MediaMaker;
  images: ScreenImages;
}

export class ScreenReader {
  readonly #options: ScreenReaderOptions;

  constructor(options: ScreenReaderOptions) {
    this.#options = options;
  }

  /**
   * Returns the picture as the robot received it, or the robot's own screen as a PNG.
   * @throws {ApiError} unknown_robot, robot_offline, not_offered, not_found (expired), errors of rendering
   */
  async read(call: ScreenCall): Promise<ScreenPicture> {
    return (await this.#read(call)).shown;
  }

  /** Returns the picture as a PNG. @throws as `read` */
  async readPng(call: ScreenCall): Promise<ScreenImage> {
    const { robot, shown } = await this.#read(call);
    const { format, bytes, notes } = shown;
    if (format === 'png') return { png: bytes, notes };
    const { media, images } = this.#options;
    const { png } = await images.draw(robot, (pngRobot) => media.drawBytes(pngRobot, [bytes], ([upload]) => pictureScene(upload!), optionsOf(call)));
    return { png, notes };
  }

  async #read(call: ScreenCall): Promise<{ robot: CachedRobot; shown: ScreenPicture }> {
    const { store, states, media, images } = this.#options;
    const { known: robot, state, doing } = await states.watch(call.robot);
    if (robot.lease.state === 'away') throw new ApiError('robot_offline', 'The robot is offline: what its screen shows is unknown.');
    requireFeatures(robot.record, ['screen']);
    const { question, card, emotion, view } = state.showing;
    const id = question ?? card;
    if (id !== null) {
      const shown = await store.screenPictures.read(call.account, call.robot, id);
      if (shown === null) throw new ApiError('not_found', 'The robot shows a picture that is no longer stored.');
      return { robot, shown: { notes: {}, ...shown } };
    }
    const own = { view, emotion, bubble: doing?.bubble ?? null, readings: state.readings as OwnScreen['readings'] };
    const { png, notes } = await images.draw(robot, (pngRobot) => media.draw(pngRobot, ownScreenScene(own), optionsOf(call)));
    return { robot, shown: { format: 'png', bytes: png, notes } };
  }
}

function optionsOf({ signal, span }: ScreenCall): RenderOptions {
  return { ttlMs: imageTtlMs, signal, span };
}

export interface ScreenImage {
  png: Buffer;
  notes: PictureNotes;
}

/** Minimum lifetime of a picture, which is read as soon as it is drawn, ms. */
export const imageTtlMs = 5_000;
/** More than any PNG of 320 x 240 px with all its colours, bytes. */
const pngBytesMax = 512 * 1024;

export class ScreenImages {
  readonly #media: Store['media'];

  constructor({ media }: Pick<Store, 'media'>) {
    this.#media = media;
  }

  /** Draws as for the robot, but as a PNG with all colours: `draw` gets the robot with such a screen. @throws {ApiError} render_failed; of `draw` */
  async draw(robot: CachedRobot, draw: (robot: CachedRobot) => Promise<PictureRef>): Promise<ScreenImage> {
    const { record } = robot;
    const { w, h } = record.hello.screen ?? { w: 320, h: 240 };
    const hello = { ...record.hello, screen: { w, h, formats: ['png' as const], max_bytes: pngBytesMax } };
    const picture = await draw({ ...robot, record: { ...record, hello } });
    const png = await this.#media.read(picture);
    if (png === null) throw new ApiError('render_failed', 'The picture was lost before it could be sent. Try again.');
    return { png, notes: picture.notes ?? {} };
  }
}
