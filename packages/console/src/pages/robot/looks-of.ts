import type { RobotSnapshot } from '@perch/schema';
import type { RobotLooks } from '../../drawing/looks.js';

/** @param picture URL of the card or question on the screen, or null */
export function looksOf({ online, showing, bubble, head, leds, sound, readings }: RobotSnapshot, picture: string | null): RobotLooks {
  const covered = (showing.question ?? showing.card) !== null;
  return { online, emotion: showing.emotion, view: showing.view, picture, covered, bubble, head, leds, sound, readings };
}
