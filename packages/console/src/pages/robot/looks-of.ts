/** What the twin's drawing needs of what is known of the robot. */
import type { Twin } from '@perch/schema';
import type { RobotLooks } from '../../twin/looks.js';

/** @param picture address of what covers the robot's own screen, or null */
export function looksOf({ online, showing, bubble, head, leds, sound, readings }: Twin, picture: string | null): RobotLooks {
  return { online, emotion: showing.emotion, view: showing.view, picture, bubble, head, leds, sound, readings };
}
