/** Counts what the robots held here are and do, in one pass for all gauges of a scrape. */
import type { LabelsOf } from '@perch/runtime';

/** What a robot does, as the label `state`; the first that applies. */
export type Activity = LabelsOf<'perch_link_robots_by_state'>['state'];

export interface CountedRobot {
  readonly activity: Activity;
  /** As the robot says in its hello. */
  readonly model: string;
  readonly firmware: string;
  /** Whether a wait of it is open. */
  readonly waits: boolean;
  readonly commands: { readonly size: number };
}

export interface Counts {
  states: Readonly<Record<Activity, number>>;
  models: ReadonlyMap<string, number>;
  firmwares: ReadonlyMap<string, number>;
  openCommands: number;
  openWaits: number;
}

export class Census {
  readonly #robots: () => Iterable<CountedRobot>;
  #counts: Counts | null = null;

  constructor(robots: () => Iterable<CountedRobot>) {
    this.#robots = robots;
  }

  /** The counts of now: every gauge of a scrape is read in the same event-loop iteration, and gets the same. */
  get counts(): Counts {
    if (this.#counts === null) {
      this.#counts = countsOf(this.#robots());
      setImmediate(() => (this.#counts = null));
    }
    return this.#counts;
  }
}

/** All states, those of no robot too. */
export function stateCounts({ states }: Counts): (readonly [{ state: Activity }, number])[] {
  return Object.entries(states).map(([state, count]) => [{ state: state as Activity }, count]);
}

function countsOf(robots: Iterable<CountedRobot>): Counts {
  const states: Record<Activity, number> = { asking: 0, playing: 0, moving: 0, showing: 0, idle: 0 };
  const models = new Map<string, number>();
  const firmwares = new Map<string, number>();
  let openCommands = 0;
  let openWaits = 0;
  for (const { activity, model, firmware, waits, commands } of robots) {
    states[activity] += 1;
    models.set(model, (models.get(model) ?? 0) + 1);
    firmwares.set(firmware, (firmwares.get(firmware) ?? 0) + 1);
    openCommands += commands.size;
    if (waits) openWaits += 1;
  }
  return { states, models, firmwares, openCommands, openWaits };
}
