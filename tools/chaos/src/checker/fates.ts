/** What became of each gesture: whether the service said that it is safe, and where it stands in the log. */
import type { Gesture, ReadEvent } from '../history/records.js';
import { groupBy, within, type Evidence } from './evidence.js';
import { finalLogs } from './reads.js';

export interface Fate {
  gesture: Gesture;
  /** When the service said that its last input is safe; null: it never did. */
  safeAt: number | null;
  /** Its numbers in the log at the end of the round; empty for one that cannot be known again. */
  logged: readonly number[];
  /** Redis itself may have lost it, and the mark that it was stored. */
  mayBeLost: boolean;
}

/** By robot, in the order in which the gestures were made. Robots whose log could not be read are left out. */
export function fatesOf(evidence: Evidence): Map<string, { fates: Fate[]; log: readonly ReadEvent[] }> {
  const { history, loss } = evidence;
  const logs = finalLogs(history);
  const acks = groupBy(history.inputAcks, ({ robot, boot }) => `${robot} ${boot}`);
  const gestures = groupBy(history.gestures, ({ robot }) => robot);
  const fates = new Map<string, { fates: Fate[]; log: readonly ReadEvent[] }>();
  for (const [robot, { events: log }] of logs) {
    const numbers = groupBy(log, ({ name, data }) => `${name} ${data}`);
    const made = (gestures.get(robot) ?? []).map((gesture): Fate => {
      const safeAt = acks.get(`${robot} ${gesture.boot}`)?.find(({ seq }) => seq >= gesture.lastSeq)?.at ?? null;
      const logged = gesture.unique ? (numbers.get(`${gesture.name} ${gesture.data}`) ?? []).map(({ seq }) => seq) : [];
      return { gesture, safeAt, logged, mayBeLost: within(loss, gesture.at, safeAt ?? Infinity) };
    });
    fates.set(robot, { fates: made, log });
  }
  return fates;
}
