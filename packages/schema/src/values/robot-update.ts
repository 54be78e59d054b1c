/** Updates of the robot program: what the service stores about a robot, and what its owner sees. */
/** Returns the version of the robot program in MicroPython that a robot names in its `firmware`; null: another program. */
export function programVersion(firmware: string): string | null {
  return /^micropython-\S+ perch-(\S{1,64})$/.exec(firmware)?.[1] ?? null;
}

/** Written when the robot connects, when its owner asks for an update, and at each step of it. */
export interface StoredRobotUpdate {
  /** Version offered in the last session; null: the robot had that of the service. */
  offered: string | null;
  state: 'none' | 'requested' | 'updating' | 'installed' | 'failed';
  /** Version of the update in `state`; '' with `none`. */
  version: string;
  /** When `state` began, Redis ms. */
  at: number;
  error?: string;
  /** Requested on the page, or by the operator. */
  via?: 'page' | 'operator';
}

export const robotUpdateStates = ['up_to_date', 'offered', 'requested', 'updating', 'failed'] as const;

export type RobotUpdateState = (typeof robotUpdateStates)[number];

/** Status of the updates of a robot. */
export interface RobotUpdateStatus {
  state: RobotUpdateState;
  /** Version of the program that runs. */
  current: string;
  /** Version that the robot can be updated to; null: none. */
  offered: string | null;
  /** Why the last update failed. */
  error: string | null;
}

/** How long an update may wait for a robot that is busy, and how long the robot may take for it, ms. */
export const updateWaitMs = 600_000;

const late = {
  requested: 'The robot was busy for 10 minutes, so the update did not begin.',
  updating: 'The robot did not report the end of the update within 10 minutes.',
};

/** Returns the error of an update that has taken too long; null: it may still go on, or is over. */
export function lateUpdate({ state, at }: StoredRobotUpdate, now: number): string | null {
  return (state === 'requested' || state === 'updating') && now - at > updateWaitMs ? late[state] : null;
}

/** Returns null for a robot with another program, and for one that has not connected to a robot-link that offers versions. */
export function robotUpdateStatus(firmware: string | null, stored: StoredRobotUpdate | null, now: number): RobotUpdateStatus | null {
  const current = programVersion(firmware ?? '');
  if (current === null || stored === null) return null;
  const { offered, state, version } = stored;
  const lateError = lateUpdate(stored, now);
  const isOver = version === current;
  if ((state === 'requested' || state === 'updating') && lateError === null && !isOver) return { state, current, offered, error: null };
  const error = lateError ?? (state === 'failed' ? (stored.error ?? '') : null);
  if (error !== null && !isOver && offered === version) return { state: 'failed', current, offered, error };
  return { state: offered === null ? 'up_to_date' : 'offered', current, offered, error: null };
}

export type UpdateRefusal = 'unknown' | 'other_program' | 'up_to_date' | 'away' | 'running';

export const updateRefusals: Readonly<Record<Exclude<UpdateRefusal, 'unknown'>, string>> = {
  other_program: 'This robot does not run the robot program in MicroPython, which is the only one that Perch updates.',
  up_to_date: 'The robot runs the version of this service already.',
  away: 'The robot is not connected. Switch it on, and try again.',
  running: 'An update of this robot has been started already.',
};
