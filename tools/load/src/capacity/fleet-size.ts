import { readerKinds, type Mix } from '../mix.js';
import type { ProcessKind } from './costs.js';

export interface Memory {
  /** MB of one process without load. */
  base: Readonly<Record<ProcessKind, number>>;
  /** kB of a robot-link per robot, of a gateway per open poll or stream, of Redis per robot. */
  robotKb: number;
  heldKb: number;
  redisRobotKb: number;
}

export interface Cpu {
  own: Readonly<Record<ProcessKind, number>>;
  /** All processes together, per robot with its programs. */
  perRobot: Readonly<Record<ProcessKind, number>>;
}

export interface Sized {
  kind: ProcessKind;
  busyCores: number;
  instances: number;
  memoryMb: number;
}

/** A process of Perch, and Redis, use one core; half of it is planned, to leave room for bursts and the loss of an instance. */
export const plannedCores = 0.5;
/** Planned connections of one instance: the greatest number that was measured. */
export const connectionsPerInstance = 10_000;
/** One may fail. */
const instancesMin = 2;
/** Factor for bursts and garbage, on top of what was measured. */
const memoryFactor = 1.3;

export function heldOf(robots: number, { readers }: Pick<Mix, 'readers'>): number {
  return (robots * (readers.poll + readers.stream)) / readerKinds.reduce((sum, kind) => sum + readers[kind], 0);
}

export function sizeOf(kind: ProcessKind, robots: number, mix: Pick<Mix, 'readers'>, cpu: Cpu, memory: Memory): Sized {
  const loaded = cpu.perRobot[kind] * robots;
  const own = cpu.own[kind];
  const connections = kind === 'robot-link' ? robots : kind === 'gateway' ? heldOf(robots, mix) : 0;
  const most = Math.max(Math.ceil(loaded / (plannedCores - own)), Math.ceil(connections / connectionsPerInstance), 1);
  // Redis' second node is a replica, counted separately.
  const instances = kind === 'Redis' ? most : Math.max(instancesMin, most);
  const perConnection = kind === 'robot-link' ? memory.robotKb : kind === 'gateway' ? memory.heldKb : 0;
  const ownKb = kind === 'Redis' ? (robots * memory.redisRobotKb) / instances : (connections / instances) * perConnection;
  return { kind, busyCores: loaded + own * instances, instances, memoryMb: (memory.base[kind] + ownKb / 1000) * memoryFactor };
}
