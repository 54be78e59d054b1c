import type { RobotSnapshot } from '@perch/schema';
import { useMemo } from 'react';
import type { RobotLooks } from '../../drawing/looks.js';

const noReadings = {};

/**
 * Returns the same object until something that is drawn has changed: a robot reports its readings every two seconds, and these are drawn only while its
 * screen shows them. The query cache keeps the parts of a snapshot that are equal to those of the previous one.
 * @param picture URL of the card or question on the screen, or null
 * @param says what the card or question on the screen says, or null
 */
export function useLooks(snapshot: RobotSnapshot | null, picture: string | null, says: string | null): RobotLooks | null {
  const { online, showing, bubble, head, leds, sound } = snapshot ?? {};
  const readings = showing?.view === 'readings' ? snapshot!.readings : noReadings;
  return useMemo(() => {
    if (online === undefined || showing === undefined || bubble === undefined || head === undefined || leds === undefined || sound === undefined)
      return null;
    const covered = (showing.question ?? showing.card) !== null;
    return { online, emotion: showing.emotion, view: showing.view, picture, says, covered, bubble, head, leds, sound, readings };
  }, [online, showing, bubble, head, leds, sound, readings, picture, says]);
}
