/** Cards and questions that a robot showed, fetched only while their panel is open. */
import type { EarlierScreensAnswer } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useCaller } from './api.js';
import { failureOf, type CallError } from './call-error.js';
import { Pace } from './pace.js';
import { addressOf } from './screen-picture.js';

/** Each picture is an action of the session and a job of a renderer. */
const picturePace = new Pace(200);

function pathOf(robot: string): string {
  return `/console/robots/${encodeURIComponent(robot)}/screens`;
}

export function useEarlierScreens(robot: string) {
  const caller = useCaller();
  return useQuery<EarlierScreensAnswer, CallError>({
    queryKey: ['earlier-screens', robot],
    queryFn: ({ signal }) => caller.get(pathOf(robot), { signal }),
    refetchInterval: 5000,
  });
}

interface EarlierPicture {
  /** A `data:` URL; null: none so far. */
  address: string | null;
  missing: 'not kept' | 'not loaded' | null;
}

export function useEarlierPicture(robot: string, { id, drawable }: { id: string; drawable: boolean }): EarlierPicture {
  const caller = useCaller();
  const { data, isError } = useQuery<string | null, CallError>({
    queryKey: ['earlier-screen', robot, id],
    queryFn: async ({ signal }) => {
      await picturePace.next(signal);
      const response = await caller.raw(`${pathOf(robot)}/${encodeURIComponent(id)}`, { signal, cache: 'default' });
      if (response.status === 404) return null;
      if (!response.ok) throw failureOf(response.status, await response.text(), response.headers.get('Retry-After'));
      return await addressOf(await response.blob());
    },
    enabled: drawable,
    staleTime: Infinity,
    retry: (failures, { status }) => failures < 3 && (status === 0 || status === 429 || status >= 500),
  });
  if (!drawable || data === null) return { address: null, missing: 'not kept' };
  return { address: data ?? null, missing: isError ? 'not loaded' : null };
}
