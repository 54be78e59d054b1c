/** Folds equal events that follow each other into one entry, so that a robot with a bad connection does not fill the list with `connected`. */
import type { RobotEvent } from '@perch/schema';

export interface EventRun {
  event: RobotEvent;
  /** The oldest one; the same event in a run of one. */
  first: RobotEvent;
  count: number;
}

/** @param events newest first @param gapSeq number of the event before which others are missing: no run goes past it */
export function eventRuns(events: readonly RobotEvent[], gapSeq: number | null): EventRun[] {
  const runs: EventRun[] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run !== undefined && run.first.seq !== gapSeq && isSame(run.first, event)) {
      run.first = event;
      run.count += 1;
    } else runs.push({ event, first: event, count: 1 });
  }
  return runs;
}

function isSame(a: RobotEvent, b: RobotEvent): boolean {
  return a.name === b.name && JSON.stringify(named(a.data)) === JSON.stringify(named(b.data));
}

/** The lengths of an infrared code differ a little with each press. */
function named({ raw, ...data }: Readonly<Record<string, unknown>>): object {
  return Object.keys(data).length === 0 ? { raw } : data;
}
