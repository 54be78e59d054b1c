/** The picture that a robot shows, as it was sent to it; while Redis keeps it. */
import type { PictureRef, Showing } from '@perch/schema';
import type { Store } from '@perch/store';
import { hashOfCard } from '../media-maker.js';
import type { Image } from './tool-result.js';

/** @returns null while the robot shows its own face or readings, and for a picture that is not kept any more */
export async function screenImage(
  store: Pick<Store, 'media' | 'waits'>,
  account: string,
  robot: string,
  { card, question }: Showing,
): Promise<Image | null> {
  const ref = await pictureOf(store, account, robot, question ?? card);
  const bytes = ref === null ? null : await store.media.read(ref);
  return ref === null || bytes === null ? null : { data: bytes.toString('base64'), mimeType: `image/${ref.format}` };
}

async function pictureOf(store: Pick<Store, 'media' | 'waits'>, account: string, robot: string, id: string | null): Promise<PictureRef | null> {
  if (id === null) return null;
  const wait = /^w(\d{1,16})$/.exec(id)?.[1];
  if (wait !== undefined) return (await store.waits.read(robot, Number(wait)))?.record.picture ?? null;
  const hash = hashOfCard(id);
  // What is looked at does not live longer for it.
  const found = hash === null ? null : await store.media.find(account, hash, 0);
  return found?.kind === 'picture' ? found : null;
}
