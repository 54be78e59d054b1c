/** What was acked to a robot is in its log, once, in the order in which it was made; and nothing else is. */
import type { Gesture, ReadEvent } from '../history/records.js';
import { violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { fatesOf, type Fate } from './fates.js';

const name = 'no event is lost, doubled, invented or out of order';

export const eventsKept: Guarantee = {
  name,
  promise:
    "Once the robot's input is acked its event is in the log, once and in order; what Redis itself lost (an older copy, a failover) is told as a gap in the numbers.",
  check(evidence) {
    return [...fatesOf(evidence)].flatMap(([robot, { fates, log }]) => {
      const found = [...lost(fates, log), ...doubled(fates), ...invented(evidence, robot, fates, log)];
      // Only what cannot be told more exactly.
      return found.length > 0 ? found : outOfOrder(robot, fates, log, evidence);
    });
  },
};

/** Touches are proved elsewhere: they may have answered a wait. */
function lost(fates: readonly Fate[], log: readonly ReadEvent[]): Violation[] {
  return fates.flatMap((fate, i) => {
    const { gesture, safeAt, logged, mayBeLost } = fate;
    if (!gesture.unique || gesture.touch !== null || gesture.becomes === 'may' || safeAt === null || logged.length > 0) return [];
    const about = { ...gesture, to: safeAt };
    if (!mayBeLost) return [violationOf(name, `${gestureText(gesture)} was acked and is not in the log`, about, 'lost')];
    return isTold(fates, i, log)
      ? []
      : [violationOf(name, `${gestureText(gesture)} was lost by Redis, and the numbers do not show it`, about, 'lost')];
  });
}

/** Whether between what was logged before and after a gesture there is a gap in the numbers. */
function isTold(fates: readonly Fate[], at: number, log: readonly ReadEvent[]): boolean {
  const before = Math.max(0, ...fates.slice(0, at).flatMap(({ logged }) => logged));
  const after = Math.min(...fates.slice(at + 1).flatMap(({ logged }) => logged));
  const between = log.filter(({ seq }) => seq >= before && seq <= after).map(({ seq }) => seq);
  if (after === Infinity) return true;
  return [before, ...between].some((seq, i, all) => i > 0 && seq > all[i - 1]! + 1);
}

function doubled(fates: readonly Fate[]): Violation[] {
  return fates.flatMap(({ gesture, logged }) =>
    gesture.touch !== null || logged.length < 2
      ? []
      : [violationOf(name, `${gestureText(gesture)} is in the log ${logged.length} times: ${logged.join(', ')}`, gesture, 'doubled')],
  );
}

/**
 * Events that no gesture made. `connected` comes at most once a hello, and once more each time that a robot-link was not well: without a
 * heartbeat for a while its robots look away although their sockets stay.
 */
function invented({ history, loss, links }: Evidence, robot: string, fates: readonly Fate[], log: readonly ReadEvent[]): Violation[] {
  const known = new Set(fates.map(({ gesture }) => `${gesture.name} ${gesture.data}`));
  const unknown = log.filter((event) => event.name !== 'connected' && !known.has(`${event.name} ${event.data}`));
  const hellos = history.hellos.filter((hello) => hello.robot === robot);
  const about = { robot, at: hellos[0]?.at ?? 0, to: Infinity };
  const connected = log.filter((event) => event.name === 'connected').length;
  const breaks = [...links.values()].reduce((sum, { running, reachable, served }) => sum + running.breaks + reachable.breaks + served.breaks, 0);
  return [
    ...unknown.map((event) => violationOf(name, `event ${event.seq} ${event.name} ${event.data} of ${robot}, which nobody made`, about)),
    ...(connected > hellos.length + breaks ? [violationOf(name, `${robot} has ${connected} connected after ${hellos.length} hellos`, about)] : []),
    ...(connected === 0 && loss === null ? [violationOf(name, `${robot} connected and has no such event`, about)] : []),
  ];
}

/**
 * Whether the log can have come of the gestures, in order, each at most once, and none left out that had to be there.
 * One that is not like every other is only known by its place.
 */
function outOfOrder(robot: string, fates: readonly Fate[], log: readonly ReadEvent[], { history }: Evidence): Violation[] {
  const events = log.filter((event) => event.name !== 'connected').map((event) => `${event.name} ${event.data}`);
  // reach: how many events the gestures so far can account for.
  let reach = new Set([0]);
  for (const { gesture, safeAt, mayBeLost } of fates) {
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
