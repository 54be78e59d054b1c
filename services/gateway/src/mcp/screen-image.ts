import type { Showing } from '@perch/schema';
import type { Store } from '@perch/store';
import { screenPicture } from '../media/screen-picture.js';
import type { Image } from './tool-result.js';

/** @returns null if the robot shows its face or readings, or if the picture has expired */
export async function screenImage(
  store: Pick<Store, 'media' | 'waits'>,
  account: string,
  robot: string,
  { card, question }: Showing,
): Promise<Image | null> {
  const id = question ?? card;
  const picture = id === null ? null : await screenPicture(store, account, robot, id);
  return picture === null ? null : { data: picture.bytes.toString('base64'), mimeType: `image/${picture.format}` };
}
