import type { ConsoleRobot } from '@perch/schema';
import { unknownLooks, type RobotLooks } from '../../drawing/looks.js';

/** Returns the card on the screen of a robot in the list; null if none shows. A question, which ends soon, is left out. */
export function cardOf({ online, showing }: ConsoleRobot): string | null {
  return online ? (showing?.card ?? null) : null;
}

/** Returns the looks of a robot in the list, of which little more than its screen is known. @param picture URL of its card, or null */
export function looksOf(robot: ConsoleRobot, picture: string | null): RobotLooks {
  const { online, showing } = robot;
  const asleep: RobotLooks = { ...unknownLooks, online: true };
  if (!online) return asleep;
  if (showing === null) return { ...asleep, emotion: 'neutral' };
  const { emotion, view } = showing;
  return { ...asleep, emotion, view, covered: cardOf(robot) !== null, picture };
}
