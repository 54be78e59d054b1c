/** One way to build the same service, running, with robots connected. */
import type { Fleet } from '../robots/fleet.js';
import type { Targets } from '../load/load.js';

export type VariantName = 'L' | 'S' | 'A' | 'Perch';

export interface Variant {
  readonly name: VariantName;
  readonly targets: Targets;
  readonly fleet: Fleet;
  /** Every process that serves, Redis included; programs and robots are not among them. */
  readonly pids: readonly number[];
  /** The process that holds the robots. */
  readonly robotsPid: number;
  /** Connects the first so many robots; those that are connected stay. */
  connectRobots(count: number): Promise<void>;
  /** Ends all its processes; its robots lose their connection. */
  stop(): Promise<void>;
}

export const variantTitles: Readonly<Record<VariantName, string>> = {
  L: 'node:http + ws, one process, no Redis',
  S: 'express + socket.io + Redis adapter',
  A: 'express + Aedes (MQTT) + Redis emitter',
  Perch: 'Perch as shipped',
};
