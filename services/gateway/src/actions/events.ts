/** events: what people did at the robot, at once or as soon as something happens. */
import type { EventsQuery, EventsRead } from '../events/events-feed.js';
import { unknownRobot } from '../robots/robot-directory.js';
import type { ActionHandler } from './index.js';

export const events: ActionHandler<'events'> = async (call, { after, names, seconds }) => {
  const { directory, feed, held } = call.tools;
  const query: EventsQuery = { after, names: names === undefined || names.length === 0 ? null : new Set(names), waitMs: seconds * 1000 };
  const { found, waits } = await feed.look(call.robot, query);
  const next = (broken: AbortSignal): Promise<EventsRead> => feed.next(call.robot, query, found, broken);
  if (waits) call.time.waits();
  const read = waits ? await held.run(call.keyHash, 'poll', call.signal, next).finally(() => call.time.resumes()) : found;
  // No log: a robot that never connected, or one that was removed and is only remembered here. Nothing else of a read corrects that guess.
  if (!read.logged && (await directory.read(call.robot)) === null) throw unknownRobot();
  return { events: read.events, last_seq: read.lastSeq, first_seq: read.firstSeq ?? 0 };
};
