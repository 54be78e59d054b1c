import type { RobotSnapshot } from '@perch/schema';
import { usePictureOnScreen } from '../../api/screen-picture.js';

interface ScreenPicture {
  /** A `data:` URL; null if no picture is shown or it is loading. */
  address: string | null;
  /** A picture is shown that the service no longer has. */
  isGone: boolean;
}

export function useScreenPicture(robot: string, snapshot: RobotSnapshot | null): ScreenPicture {
  const id = snapshot?.showing.question ?? snapshot?.showing.card ?? null;
  const picture = usePictureOnScreen(robot, id);
  return { address: picture ?? null, isGone: picture === null };
}
