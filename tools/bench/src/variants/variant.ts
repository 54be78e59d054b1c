import type { Fleet } from '../robots/fleet.js';
import type { Targets } from '../load/load.js';

export type VariantName = 'L' | 'S+' | 'A+' | 'M' | 'Perch';

export interface Variant {
  readonly name: VariantName;
  readonly targets: Targets;
  readonly fleet: Fleet;
  /** Redis included; without programs and robots. */
  readonly pids: readonly number[];
  readonly robotsPid: number;
  /** Up to this number; connected ones stay. */
  connectRobots(count: number): Promise<void>;
  stop(): Promise<void>;
}

export const variantTitles: Readonly<Record<VariantName, string>> = {
  L: 'node:http + ws, one process, no Redis',
  'S+': 'express + socket.io + Redis adapter, tuned',
  'A+': 'express + Aedes (MQTT) + Redis emitter, tuned',
  M: 'node:http + mosquitto (MQTT), admission in Redis',
  Perch: 'Perch as shipped',
};
