import type { RobotSnapshot } from '@perch/schema';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useCaller } from '../../api/api.js';
import { idOnScreen, requestPicture, usePictureOnScreen } from '../../api/screen-picture.js';

interface ScreenPicture {
  /** A `data:` URL; null if no picture is shown or it is loading. */
  address: string | null;
  isLoading: boolean;
  /** A picture is shown that the service no longer has. */
  isGone: boolean;
}

/**
 * @param snapshot that is drawn
 * @param latest that is drawn soon, whose picture is requested already
 */
export function useScreenPicture(robot: string, snapshot: RobotSnapshot | null, latest: RobotSnapshot | null): ScreenPicture {
  const picture = usePictureOnScreen(robot, idOnScreen(snapshot));
  const client = useQueryClient();
  const caller = useCaller();
  const coming = idOnScreen(latest);
  useEffect(() => requestPicture(client, caller, robot, coming), [client, caller, robot, coming]);
  return { address: picture ?? null, isLoading: idOnScreen(snapshot) !== null && picture === undefined, isGone: picture === null };
}
