import type { Gesture, ReadEvent } from '../history/records.js';
import { groupBy, within, type Evidence } from './evidence.js';
import { finalLogs } from './reads.js';

export interface GestureOutcome {
  gesture: Gesture;
  /** Null: the service never acknowledged its last input. */
  safeAt: number | null;
  /** Its numbers in the log; empty for a gesture that cannot be identified. */
  logged: readonly number[];
  /** Redis may have lost it together with the record that it was stored. */
  mayBeLost: boolean;
}

/** By robot, in the order of the gestures. Robots whose log could not be read are omitted. */
export function gestureOutcomesOf(evidence: Evidence): Map<string, { outcomes: GestureOutcome[]; log: readonly ReadEvent[] }> {
  const { history, loss } = evidence;
  const logs = finalLogs(history);
  const acks = groupBy(history.inputAcks, ({ robot, boot }) => `${robot} ${boot}`);
  const gestures = groupBy(history.gestures, ({ robot }) => robot);
  const outcomes = new Map<string, { outcomes: GestureOutcome[]; log: readonly ReadEvent[] }>();
  for (const [robot, { events: log }] of logs) {
    const numbers = groupBy(log, ({ name, data }) => `${name} ${data}`);
    const made = (gestures.get(robot) ?? []).map((gesture): GestureOutcome => {
      const safeAt = acks.get(`${robot} ${gesture.boot}`)?.find(({ seq }) => seq >= gesture.lastSeq)?.at ?? null;
      const logged = gesture.unique ? (numbers.get(`${gesture.name} ${gesture.data}`) ?? []).map(({ seq }) => seq) : [];
      return { gesture, safeAt, logged, mayBeLost: within(loss, gesture.at, safeAt ?? Infinity) };
    });
    outcomes.set(robot, { outcomes: made, log });
  }
  return outcomes;
}
