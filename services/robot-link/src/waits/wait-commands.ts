/** What a robot is told of a wait; the ack of it, by the robot's clock, says from when on the wait counts. */
import type { WaitRecord } from '@perch/schema';
import type { Command } from '../commands/command-queue.js';

/** How much longer than its wait a question stays on a robot that nobody tells to take it away, ms. */
const showGraceMs = 2000;

/** Shows the wait's picture; where it has none, changes nothing at the robot and asks for its clock alone. */
export function showCommand(record: WaitRecord, leftMs: number, told: Pick<Command, 'span' | 'arrivedAt' | 'expires' | 'written' | 'done'>): Command {
  const id = pictureId(record);
  const { picture, requestId } = record;
  if (picture === null) return { name: 'screen.clear', args: { layer: 'question', id }, requestId, ...told };
  return {
    name: 'screen.show',
    args: isQuestion(record) ? { layer: 'question', id, show_ms: Math.round(leftMs + showGraceMs) } : { layer: 'card', id },
    attachments: [{ path: [], picture }],
    requestId,
    ...told,
  };
}

/** Whether it shows on the question layer, and is taken away when it ends. */
export function isQuestion({ kind }: WaitRecord): boolean {
  return kind !== 'clickmap';
}

/** What the wait's picture is called on the robot. */
export function pictureId({ number }: WaitRecord): string {
  return `w${number}`;
}
