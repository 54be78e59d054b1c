import { robotKeys } from '../keys.js';

/** How long the robot's queue waits for a question outside it, from its call to its opening, ms. */
export const drawnWithinMs = 15_000;

/** Returns the keys of the script `wait-number`. */
export function waitNumberKeys(robot: string): readonly [waitHead: string, record: string, lease: string, drawnWaits: string] {
  return [robotKeys.waitHead(robot), robotKeys.record(robot), robotKeys.lease(robot), robotKeys.drawnWaits(robot)];
}
