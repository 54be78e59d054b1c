/** How many instances, and how much memory, a number of robots needs. */
import { readerKinds, type Mix } from '../mix.js';
import type { ProcessKind } from './costs.js';

export interface Memory {
  /** Of one process without load, MB. */
  base: Readonly<Record<ProcessKind, number>>;
  /** kB of a robot-link for each robot, of a gateway for each held poll or stream, of Redis for each robot. */
  robotKb: number;
  heldKb: number;
  redisRobotKb: number;
}

/** Cores of each kind of process. */
export interface Cpu {
  /** Of one process without load. */
  own: Readonly<Record<ProcessKind, number>>;
  /** Of all processes together, for each robot with its programs. */
  perRobot: Readonly<Record<ProcessKind, number>>;
}

export interface Sized {
  kind: ProcessKind;
  busyCores: number;
  instances: number;
  /** Of each instance, MB. */
  memoryMb: number;
}

/** A process of Perch, and Redis, run on one core; planned is half of it, so that a burst and the loss of an instance fit. */
export const plannedCores = 0.5;
/** Connections that one instance is planned to hold: the greatest number that was measured. */
export const connectionsPerInstance = 10_000;
/** One may fail. */
const instancesMin = 2;
/** Room for bursts and garbage, over what was measured. */
const memoryFactor = 1.3;

/** Returns how many of the robots have a reader that is held open at a gateway. */
export function heldOf(robots: number, { readers }: Pick<Mix, 'readers'>): number {
  return (robots * (readers.poll + readers.stream)) / readerKinds.reduce((sum, kind) => sum + readers[kind], 0);
}

export function sizeOf(kind: ProcessKind, robots: number, mix: Pick<Mix, 'readers'>, cpu: Cpu, memory: Memory): Sized {
  const loaded = cpu.perRobot[kind] * robots;
  const own = cpu.own[kind];
  const connections = kind === 'robot-link' ? robots : kind === 'gateway' ? heldOf(robots, mix) : 0;
  const most = Math.max(Math.ceil(loaded / (plannedCores - own)), Math.ceil(connections / connectionsPerInstance), 1);
  // Redis' second node is a replica, counted apart.
  const instances = kind === 'Redis' ? most : Math.max(instancesMin, most);
  const perConnection = kind === 'robot-link' ? memory.robotKb : kind === 'gateway' ? memory.heldKb : 0;
  const ownKb = kind === 'Redis' ? (robots * memory.redisRobotKb) / instances : (connections / instances) * perConnection;
  return { kind, busyCores: loaded + own * instances, instances, memoryMb: (memory.base[kind] + ownKb / 1000) * memoryFactor };
}
