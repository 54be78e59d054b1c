/** Each acknowledged input is in the robot's log, once and in order; the log contains nothing else. */
import type { Gesture, ReadEvent } from '../history/records.js';
import { violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { gestureOutcomesOf, type GestureOutcome } from './gesture-outcomes.js';

const name = 'no event is lost, doubled, invented or out of order';

export const eventsKept: Guarantee = {
  name,
  promise:
    "Once a robot's input is acknowledged its event is in the log, once and in order; what Redis itself lost (an older copy, a failover) shows as a gap in the numbers.",
  check(evidence) {
    return [...gestureOutcomesOf(evidence)].flatMap(([robot, { outcomes, log }]) => {
      const found = [...lost(outcomes, log), ...doubled(outcomes), ...invented(evidence, robot, outcomes, log)];
      // If no more precise violation was found.
      return found.length > 0 ? found : outOfOrder(robot, outcomes, log, evidence);
    });
  },
};

/** Skips touches, which may have answered a wait. */
function lost(outcomes: readonly GestureOutcome[], log: readonly ReadEvent[]): Violation[] {
  return outcomes.flatMap((outcome, i) => {
    const { gesture, safeAt, logged, mayBeLost } = outcome;
    if (!gesture.unique || gesture.touch !== null || gesture.becomes === 'may' || safeAt === null || logged.length > 0) return [];
    const about = { ...gesture, to: safeAt };
    if (!mayBeLost) return [violationOf(name, `${gestureText(gesture)} was acked and is not in the log`, about, 'lost')];
    return isTold(outcomes, i, log)
      ? []
      : [violationOf(name, `${gestureText(gesture)} was lost by Redis, and the numbers do not show it`, about, 'lost')];
  });
}

/** Whether the numbers show a gap between the events logged before and after a gesture. */
function isTold(outcomes: readonly GestureOutcome[], at: number, log: readonly ReadEvent[]): boolean {
  const before = Math.max(0, ...outcomes.slice(0, at).flatMap(({ logged }) => logged));
  const after = Math.min(...outcomes.slice(at + 1).flatMap(({ logged }) => logged));
  const between = log.filter(({ seq }) => seq >= before && seq <= after).map(({ seq }) => seq);
  if (after === Infinity) return true;
  return [before, ...between].some((seq, i, all) => i > 0 && seq > all[i - 1]! + 1);
}

function doubled(outcomes: readonly GestureOutcome[]): Violation[] {
  return outcomes.flatMap(({ gesture, logged }) =>
    gesture.touch !== null || logged.length < 2
      ? []
      : [violationOf(name, `${gestureText(gesture)} is in the log ${logged.length} times: ${logged.join(', ')}`, gesture, 'doubled')],
  );
}

/** `connected` may occur once a hello, and each time a robot-link missed its heartbeat: its robots then appear offline. */
function invented({ history, loss, links }: Evidence, robot: string, outcomes: readonly GestureOutcome[], log: readonly ReadEvent[]): Violation[] {
  const known = new Set(outcomes.map(({ gesture }) => `${gesture.name} ${gesture.data}`));
  const unknown = log.filter((event) => event.name !== 'connected' && !known.has(`${event.name} ${event.data}`));
  const hellos = history.hellos.filter((hello) => hello.robot === robot);
  const about = { robot, at: hellos[0]?.at ?? 0, to: Infinity };
  const connected = log.filter((event) => event.name === 'connected').length;
  const breaks = [...links.values()].reduce((sum, { running, reachable, served }) => sum + running.breaks + reachable.breaks + served.breaks, 0);
  return [
    ...unknown.map((event) => violationOf(name, `event ${event.seq} ${event.name} ${event.data} of ${robot}, which no gesture made`, about)),
    ...(connected > hellos.length + breaks ? [violationOf(name, `${robot} has ${connected} connected after ${hellos.length} hellos`, about)] : []),
    ...(connected === 0 && loss === null ? [violationOf(name, `${robot} connected and has no such event`, about)] : []),
  ];
}

/** A log that cannot result from the gestures in order, each once at most. Gestures that are not unique are identified by position. */
function outOfOrder(robot: string, outcomes: readonly GestureOutcome[], log: readonly ReadEvent[], { history }: Evidence): Violation[] {
  const events = log.filter((event) => event.name !== 'connected').map((event) => `${event.name} ${event.data}`);
  // Numbers of events that the gestures so far can account for.
  let reach = new Set([0]);
  for (const { gesture, safeAt, mayBeLost } of outcomes) {
    const key = `${gesture.name} ${gesture.data}`;
    const mayBeMissing = gesture.becomes === 'may' || gesture.touch !== null || safeAt === null || mayBeLost;
    const next = new Set<number>();
    for (const count of reach) {
      if (events[count] === key) next.add(count + 1);
      if (mayBeMissing) next.add(count);
    }
    if (next.size === 0) {
      const at = Math.max(...reach);
      return [
        violationOf(
          name,
          `${gestureText(gesture)} should be event ${at + 1} of the log, there is ${events[at] ?? 'none'}`,
          {
            ...gesture,
            to: safeAt ?? gesture.at,
          },
          'out of order',
        ),
      ];
    }
    reach = next;
  }
  if (reach.has(events.length)) return [];
  const at = Math.max(...reach);
  const from = history.sessions.find((session) => session.robot === robot)?.at ?? 0;
  return [violationOf(name, `event ${at + 1} of ${robot}'s log, ${events[at]}, is out of order`, { robot, at: from, to: Infinity }, 'out of order')];
}

function gestureText({ robot, boot, lastSeq, name: event, data }: Gesture): string {
  return `the ${event} ${data} of ${robot} (input ${boot}/${lastSeq})`;
}
