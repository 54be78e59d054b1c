import type { EventsQuery, EventsRead } from '../events/events-feed.js';
import { unknownRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './definition/action.js';

export const createEvents =
  ({ feed, directory, openCalls }: Pick<ActionServices, 'feed' | 'directory' | 'openCalls'>): Action<'events'> =>
  async (call, { after, names, seconds }) => {
    const query: EventsQuery = { after, names: names === undefined || names.length === 0 ? null : new Set(names), waitMs: seconds * 1000 };
    const { found, waits } = await feed.firstRead(call.robot, query);
    const next = (signal: AbortSignal): Promise<EventsRead> => feed.next(call.robot, query, found, signal);
    if (waits) call.time.pause();
    const read = waits ? await openCalls.run(call, 'poll', call.signal, next).finally(() => call.time.resume()) : found;
    // Without an event log, the robot has never connected, or was removed and is still cached here. Only this read can detect the stale cache entry.
    if (!read.logged && (await directory.read(call.robot)) === null) throw unknownRobot();
    return { events: read.events, last_seq: read.lastSeq, first_seq: read.firstSeq ?? 0 };
  };
