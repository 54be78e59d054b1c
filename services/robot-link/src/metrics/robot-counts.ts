import type { LabelsOf } from '@perch/runtime';

/** The first that applies. */
export type Activity = LabelsOf<'perch_link_robots_by_state'>['state'];

export interface CountedRobot {
  readonly activity: Activity;
  readonly model: string;
  readonly firmware: string;
  readonly hasOpenWait: boolean;
  readonly commands: { readonly size: number };
}

export interface Counts {
  robots: number;
  states: Readonly<Record<Activity, number>>;
  models: ReadonlyMap<string, number>;
  firmwares: ReadonlyMap<string, number>;
  openCommands: number;
  openWaits: number;
}

export class RobotCounts {
  readonly #robots: () => Iterable<CountedRobot>;
  #counts: Counts | null = null;

  constructor(robots: () => Iterable<CountedRobot>) {
    this.#robots = robots;
  }

  /** All gauges of a scrape are read in the same event-loop iteration and share one result. */
  get counts(): Counts {
    if (this.#counts === null) {
      this.#counts = countsOf(this.#robots());
      setImmediate(() => (this.#counts = null));
    }
    return this.#counts;
  }
}

export function stateCounts({ states }: Counts): (readonly [{ state: Activity }, number])[] {
  return Object.entries(states).map(([state, count]) => [{ state: state as Activity }, count]);
}

function countsOf(robots: Iterable<CountedRobot>): Counts {
  const states: Record<Activity, number> = { asking: 0, playing: 0, moving: 0, showing: 0, idle: 0 };
  const models = new Map<string, number>();
  const firmwares = new Map<string, number>();
  let openCommands = 0;
  let openWaits = 0;
  let count = 0;
  for (const { activity, model, firmware, hasOpenWait, commands } of robots) {
    count += 1;
    states[activity] += 1;
    models.set(model, (models.get(model) ?? 0) + 1);
    firmwares.set(firmware, (firmwares.get(firmware) ?? 0) + 1);
    openCommands += commands.size;
    if (hasOpenWait) openWaits += 1;
  }
  return { robots: count, states, models, firmwares, openCommands, openWaits };
}
