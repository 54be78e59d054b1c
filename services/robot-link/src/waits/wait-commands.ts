/** The ack of these commands carries the robot's clock, which determines from when touches count. */
import type { WaitRecord } from '@perch/schema';
import { waitPictureId } from '@perch/store';
import type { Command } from '../commands/command.js';

/** How much longer than its wait a question stays if no command removes it, ms. */
export const showGraceMs = 2000;

/** For a wait without a picture the command only asks for the robot's clock. */
export function showCommand(
  record: WaitRecord,
  leftMs: number,
  options: Pick<Command, 'span' | 'arrivedAt' | 'expires' | 'written' | 'done'>,
): Command {
  const id = pictureId(record);
  const { picture, pages, requestId } = record;
  if (picture === null) return { name: 'screen.clear', args: { layer: 'question', id }, requestId, ...options };
  return {
    name: 'screen.show',
    args: isQuestion(record) ? { layer: 'question', id, show_ms: Math.round(leftMs + showGraceMs) } : { layer: 'card', id },
    attachments: [{ path: [], picture }],
    ...(isQuestion(record) && pages !== undefined && { pages }),
    requestId,
    ...options,
  };
}

export function isQuestion({ kind }: WaitRecord): boolean {
  return kind !== 'clickmap';
}

export function pictureId({ number }: WaitRecord): string {
  return waitPictureId(number);
}
