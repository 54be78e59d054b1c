import type { ConsoleRobot, ShownRobot } from '@perch/schema';
import { idOnScreen } from '../../api/screen-picture.js';
import { unknownLooks, type RobotLooks } from '../../drawing/looks.js';

/** Returns the question or card on the screen of a robot in the list; null if none shows. @param now what it shows now, if that is known */
export function pictureIdOf({ online, showing }: ConsoleRobot, now: ShownRobot | null): string | null {
  if (!online) return null;
  if (now !== null) return idOnScreen(now);
  // A question that was there when the state was saved has probably ended.
  return showing?.card ?? null;
}

/** Returns the looks of a robot in the list, of which little more than its screen is known. @param picture URL of its question or card, or null */
export function looksOf(robot: ConsoleRobot, now: ShownRobot | null, picture: string | null): RobotLooks {
  const asleep: RobotLooks = { ...unknownLooks, online: true };
  const showing = now?.showing ?? robot.showing;
  if (!robot.online) return asleep;
  if (showing === null) return { ...asleep, emotion: 'neutral' };
  const { emotion, view } = showing;
  const { bubble = null, readings = {} } = now ?? {};
  return { ...asleep, emotion, view, bubble, readings, covered: pictureIdOf(robot, now) !== null, picture };
}
