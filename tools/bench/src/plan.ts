/** Bounds every loop of a run. */

export interface Plan {
  name: 'full' | 'quick' | 'smoke';
  /** On a quiet machine. */
  rounds: number;
  /** With those that are dropped, since the machine was not quiet. */
  roundsMost: number;
  /** Calls of the calibrator in each round. */
  calibratorCalls: number;
  /** Robots of each variant, at least 64: as many equal requests are made at once, each for another robot. */
  robots: number;
  /** The calls of a run stay within each key's burst of 30. */
  keys: number;
  /** Calls of each variant before its rounds, 16 in flight: hot code gets compiled. */
  warmUpCalls: number;
  /** Calls of one variant in one round, by the number in flight. */
  calls: Readonly<Record<InFlight, number>>;
  /** Calls of a round whose Redis commands and bytes are counted. A quick run makes nearly as many: with few calls, heartbeats would be a large part. */
  countedCalls: Readonly<Record<InFlight, number>>;
  /** How long the bytes through Redis of an idle system are counted. */
  idleTrafficMs: number;
  /** Calls of an open loop of 500 a second. */
  openCalls: number;
  manyLinks: number;
  manyRobots: number;
  polls: number;
  reports: { perS: number; forMs: number };
  /** Whole half minutes, since each idle robot may cost a Redis command every 30 s. Null: not measured. */
  idleMs: number | null;
  /** `forMs`: length of a round. */
  crowd: { forMs: number; actionsPerS: number };
  /** Each holds many robots; with few, the garbage collector would be measured. 0: not measured. */
  memoryProcesses: number;
  /** Memory is read once it is stable, or after this time. */
  settleMs: number;
  pictures: number;
  /** Calls that draw, before drawing is measured. */
  pictureWarmUpCalls: number;
  waits: number;
  sounds: number;
}

export const inFlights = [1, 16, 64] as const;
export type InFlight = (typeof inFlights)[number];

export const plans: Readonly<Record<Plan['name'], Plan>> = {
  full: {
    name: 'full',
    rounds: 9,
    roundsMost: 18,
    calibratorCalls: 3000,
    robots: 500,
    keys: 1000,
    warmUpCalls: 20_000,
    calls: { 1: 1500, 16: 8000, 64: 12_000 },
    countedCalls: { 1: 1000, 16: 4000, 64: 6000 },
    idleTrafficMs: 20_000,
    openCalls: 2000,
    manyLinks: 8,
    manyRobots: 10_000,
    polls: 10_000,
    reports: { perS: 5000, forMs: 8000 },
    idleMs: 60_000,
    crowd: { forMs: 12_000, actionsPerS: 500 },
    memoryProcesses: 3,
    settleMs: 20_000,
    pictures: 200,
    pictureWarmUpCalls: 1500,
    waits: 500,
    sounds: 50,
  },
  quick: {
    name: 'quick',
    rounds: 3,
    roundsMost: 5,
    calibratorCalls: 1000,
    robots: 200,
    keys: 600,
    warmUpCalls: 2000,
    calls: { 1: 150, 16: 800, 64: 1000 },
    countedCalls: { 1: 500, 16: 4000, 64: 4000 },
    idleTrafficMs: 10_000,
    openCalls: 1000,
    manyLinks: 4,
    manyRobots: 1000,
    polls: 1000,
    reports: { perS: 2500, forMs: 800 },
    idleMs: null,
    crowd: { forMs: 4000, actionsPerS: 300 },
    memoryProcesses: 0,
    settleMs: 1500,
    pictures: 50,
    pictureWarmUpCalls: 1500,
    waits: 100,
    sounds: 10,
  },
  smoke: {
    name: 'smoke',
    rounds: 1,
    roundsMost: 1,
    calibratorCalls: 50,
    robots: 64,
    keys: 20,
    warmUpCalls: 64,
    calls: { 1: 20, 16: 64, 64: 128 },
    countedCalls: { 1: 100, 16: 64, 64: 128 },
    idleTrafficMs: 500,
    openCalls: 50,
    manyLinks: 2,
    manyRobots: 32,
    polls: 20,
    reports: { perS: 100, forMs: 300 },
    idleMs: 1000,
    crowd: { forMs: 500, actionsPerS: 50 },
    memoryProcesses: 1,
    settleMs: 500,
    pictures: 20,
    pictureWarmUpCalls: 5,
    waits: 8,
    sounds: 2,
  },
};
