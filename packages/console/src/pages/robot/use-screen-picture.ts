/** The picture that covers the robot's own screen: a question, a card, or none. */
import type { Twin } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';

interface ScreenPicture {
  /** A `data:` address, so that it is there whole or not at all; null while none shows, or it is not known yet. */
  address: string | null;
  /** One shows, and the service has it no more: it keeps them for a minute. */
  isGone: boolean;
}

export function useScreenPicture(robot: string, twin: Twin | null): ScreenPicture {
  const caller = useCaller();
  const showing = twin?.showing.question ?? twin?.showing.card ?? null;
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
