/** The ack of these commands carries the robot's clock, which determines from when touches count. */
import type { WaitRecord } from '@perch/schema';
import { readPageId, waitPictureId } from '@perch/store';
import type { Command } from '../commands/command.js';

/** How much longer than its wait a question stays if no command removes it, ms. */
export const showGraceMs = 2000;

export function showCommand(
  record: WaitRecord,
  leftMs: number,
  options: Pick<Command, 'span' | 'arrivedAt' | 'expires' | 'written' | 'done'>,
): Command {
  const { requestId } = record;
  const turning = turningPages(record);
  const { id, picture } = turning.greyPages?.[0] ?? { id: pictureId(record), picture: record.picture };
  if (picture === null) return clockCommand(record, options);
  return {
    name: 'screen.show',
    args: isQuestion(record) ? { layer: 'question', id, show_ms: Math.round(leftMs + showGraceMs) } : { layer: 'card', id },
    attachments: [{ path: [], picture }],
    ...(isQuestion(record) && turning),
    requestId,
    ...options,
  };
}

type Paged = Pick<WaitRecord, 'number' | 'picture' | 'pages' | 'greyPages'>;

/** Returns the pages of a question with the ids under which this service shows them. */
export function turningPages({ number, picture, pages, greyPages }: Paged): Pick<Command, 'pages' | 'greyPages'> {
  if (greyPages === undefined || picture === null) return pages === undefined ? {} : { pages };
  const live = pages ?? [{ picture, afterMs: 0 }];
  return { greyPages, pages: live.map((page, i) => ({ ...page, id: readPageId(number, ((i + 1) % live.length) + 1) })) };
}

/** Returns whether the question shows several pictures, one after the other. */
export function hasPages({ pages, greyPages }: Paged): boolean {
  return pages !== undefined || greyPages !== undefined;
}

/** Changes nothing: its ack has the robot's clock. */
export function clockCommand(record: WaitRecord, options: Omit<Command, 'name' | 'args'>): Command {
  return { name: 'screen.clear', args: { layer: 'question', id: pictureId(record) }, requestId: record.requestId, ...options };
}

export function isQuestion({ kind }: WaitRecord): boolean {
  return kind !== 'clickmap';
}

export function pictureId({ number }: WaitRecord): string {
  return waitPictureId(number);
}
