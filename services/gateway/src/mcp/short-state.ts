/**
 * States and events as agents get them unless they ask for the whole state: all that a robot reports is about 3 KB, most of which no agent needs, and an
 * infrared code of a remote has up to 225 lengths, which no model can use.
 */
import { mainEventsMax, mainReadings, wholeStateFields, type RobotEvent, type RobotState } from '@perch/schema';

/** Infrared lengths in an event that has something else to recognize the button by. */
const rawMax = 16;

export function shortState(state: RobotState): object {
  const omitted: readonly string[] = wholeStateFields;
  return {
    ...Object.fromEntries(Object.entries(state).filter(([name]) => !omitted.includes(name))),
    readings: Object.fromEntries(Object.entries(state.readings).filter(([name]) => mainReadings.includes(name))),
    events: state.events.slice(-mainEventsMax).map(shortEvent),
  };
}

/** Returns the event with `raw` cut to its first lengths, and named in `truncated`, where `code` or `address` is beside it. */
export function shortEvent(event: RobotEvent): RobotEvent {
  const { data } = event;
  if (event.name !== 'remote') return event;
  const { raw, code, address } = data;
  if (!Array.isArray(raw) || raw.length <= rawMax || (code === undefined && address === undefined)) return event;
  return { ...event, data: { ...data, raw: raw.slice(0, rawMax), truncated: ['raw'] } };
}
