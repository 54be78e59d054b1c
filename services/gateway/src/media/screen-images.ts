import { ApiError, type PictureNotes, type PictureRef } from '@perch/schema';
import type { Store } from '@perch/store';
import type { KnownRobot } from '../robots/robot-directory.js';

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
  async draw(robot: KnownRobot, draw: (robot: KnownRobot) => Promise<PictureRef>): Promise<ScreenImage> {
    const { record } = robot;
    const { w, h } = record.hello.screen ?? { w: 320, h: 240 };
    const hello = { ...record.hello, screen: { w, h, formats: ['png' as const], max_bytes: pngBytesMax } };
    const picture = await draw({ ...robot, record: { ...record, hello } });
    const png = await this.#media.read(picture);
    if (png === null) throw new ApiError('render_failed', 'The picture was lost before it could be sent. Try again.');
    return { png, notes: picture.notes ?? {} };
  }
}
