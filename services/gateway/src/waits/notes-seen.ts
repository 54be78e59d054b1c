import type { PictureNotes } from '@perch/schema';
import { takesPages, withCutQuestion } from '../media/paged-text.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { HeldWait } from './held-wait.js';
import type { Over } from './wait-outcome.js';

/** Returns what the person did not see as it was sent. On a robot that is now at a robot-link of 0.9.0, only the first page is known to have shown. */
export async function notesSeen(
  directory: Pick<RobotDirectory, 'read'>,
  { call, record: { picture, pages } }: Pick<HeldWait, 'call' | 'record'>,
  over: Over,
): Promise<PictureNotes | undefined> {
  const notes = picture?.notes;
  if (pages === undefined) return notes;
  if ('pagesUnseen' in over) return withCutQuestion(notes);
  const robot = await directory.read(call.robot).catch(() => null);
  return robot === null || takesPages(robot) ? notes : withCutQuestion(notes);
}
