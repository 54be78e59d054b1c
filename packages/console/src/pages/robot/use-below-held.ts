import { startTransition, useEffect, useState } from 'react';

/** Time after which the parts no longer wait: without a connection to the service, the robot is not drawn. Milliseconds. */
const longestMs = 3000;

/**
 * Returns whether the parts below the robot wait until it is drawn. On a phone they are out of sight, and would be rendered before the robot.
 * @param isDrawn whether the robot is drawn as it is now, with the picture on its screen
 */
export function useBelowHeld(isNarrow: boolean, isDrawn: boolean): boolean {
  const [isReleased, setReleased] = useState(false);
  useEffect(() => {
    const release = () => startTransition(() => setReleased(true));
    if (isDrawn) return release();
    const timer = setTimeout(release, longestMs);
    return () => clearTimeout(timer);
  }, [isDrawn]);
  return isNarrow && !isReleased;
}
