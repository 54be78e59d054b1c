import type { PictureRef } from '@perch/schema';
import type { Store } from '@perch/store';
import { hashOfCard } from './media-maker.js';

export interface ScreenPicture {
  format: PictureRef['format'];
  bytes: Buffer;
}

/**
 * Reads the picture on a robot's screen.
 * @param id of the card or question, from `Showing`
 * @returns null if the picture is no longer kept, or the id was not created by Perch
 */
export async function screenPicture(
  store: Pick<Store, 'media' | 'waits'>,
  account: string,
  robot: string,
  id: string,
): Promise<ScreenPicture | null> {
  const ref = await pictureOf(store, account, robot, id);
  const bytes = ref === null ? null : await store.media.read(ref);
  return ref === null || bytes === null ? null : { format: ref.format, bytes };
}

async function pictureOf(store: Pick<Store, 'media' | 'waits'>, account: string, robot: string, id: string): Promise<PictureRef | null> {
  const wait = /^w(\d{1,16})$/.exec(id)?.[1];
  if (wait !== undefined) return (await store.waits.read(robot, Number(wait)))?.record.picture ?? null;
  const hash = hashOfCard(id);
  // 0: reading does not extend the picture's lifetime.
  const found = hash === null ? null : await store.media.find(account, hash, 0);
  return found?.kind === 'picture' ? found : null;
}
