/** A robot's state as agents get it unless they ask for the whole: all that a robot reports is about 3 KB, most of which no agent needs. */
import { mainEventsMax, mainReadings, wholeStateFields, type RobotState } from '@perch/schema';

export function shortState(state: RobotState): object {
  const omitted: readonly string[] = wholeStateFields;
  return {
    ...Object.fromEntries(Object.entries(state).filter(([name]) => !omitted.includes(name))),
    readings: Object.fromEntries(Object.entries(state.readings).filter(([name]) => mainReadings.includes(name))),
    events: state.events.slice(-mainEventsMax),
  };
}
