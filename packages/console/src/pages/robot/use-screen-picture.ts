/** Loads the picture of the question or card on the robot's screen. */
import type { RobotSnapshot } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';

interface ScreenPicture {
  /** A `data:` URL, so that the picture never appears partially; null if none is shown or it is loading. */
  address: string | null;
  /** Whether a picture is shown that the service no longer has: it keeps pictures for a minute. */
  isGone: boolean;
}

export function useScreenPicture(robot: string, snapshot: RobotSnapshot | null): ScreenPicture {
  const caller = useCaller();
  const showing = snapshot?.showing.question ?? snapshot?.showing.card ?? null;
  const { data } = useQuery<string | null>({
    queryKey: ['screen-picture', robot, showing],
    queryFn: async ({ signal }) => {
      const path = `/console/robots/${encodeURIComponent(robot)}/screen?id=${encodeURIComponent(showing!)}`;
      const response = await caller.raw(path, { signal, cache: 'default' });
      if (response.status === 404) return null;
      if (!response.ok) throw new Error(`status ${response.status}`);
      return await addressOf(await response.blob());
    },
    enabled: showing !== null,
    staleTime: Infinity,
  });
  return { address: showing === null ? null : (data ?? null), isGone: showing !== null && data === null };
}

function addressOf(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(reader.result as string));
    reader.addEventListener('error', () => fail(reader.error ?? new Error('not read')));
    reader.readAsDataURL(blob);
  });
}
