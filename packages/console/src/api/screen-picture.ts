import { useQuery } from '@tanstack/react-query';
import { useCaller } from './api.js';
import { Pace } from './pace.js';

/** For the list of robots: up to 200 pictures at once, each an action of the session, which has 10 a second and bursts of 30. */
export const listPace = new Pace(150);

/** Returns a picture as a `data:` URL, never partial; undefined while loading, null if it is gone. @param id of the card or question, or null */
export function usePictureOnScreen(robot: string, id: string | null, pace: Pace | null = null): string | null | undefined {
  const caller = useCaller();
  const { data } = useQuery<string | null>({
    queryKey: ['screen-picture', robot, id],
    queryFn: async ({ signal }) => {
      await pace?.next(signal);
      const path = `/console/robots/${encodeURIComponent(robot)}/screen?id=${encodeURIComponent(id!)}`;
      const response = await caller.raw(path, { signal, cache: 'default' });
      if (response.status === 404) return null;
      if (!response.ok) throw new Error(`status ${response.status}`);
      return await addressOf(await response.blob());
    },
    enabled: id !== null,
    staleTime: Infinity,
  });
  return data;
}

export function addressOf(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(reader.result as string));
    reader.addEventListener('error', () => fail(reader.error ?? new Error('not read')));
    reader.readAsDataURL(blob);
  });
}
