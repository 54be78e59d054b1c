/** Where robots dial: as the session told it, and asked again while there is no place or nothing answers there, since robot-links come and go. */
import type { ConsoleSession } from '@perch/schema';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import { useSignedIn } from './session.js';

const linkUrlKey = ['link-url'];
const askEveryMs = 3000;

/** @param lost nothing answers there @returns empty while there is no place; one that was known stays until another is told */
export function useLinkUrl({ lost }: { lost: boolean }): string {
  const caller = useCaller();
  const client = useQueryClient();
  const { link_url: told } = useSignedIn();
  const { data } = useQuery<string>({
    queryKey: linkUrlKey,
    queryFn: async ({ signal }) => {
      const session = await caller.get<ConsoleSession>('/console/session', { signal });
      return (session.signed_in && session.link_url) || (client.getQueryData<string>(linkUrlKey) ?? told);
    },
    initialData: told,
    staleTime: Infinity,
    refetchInterval: ({ state }) => (lost || state.data === '') && askEveryMs,
    refetchIntervalInBackground: true,
  });
  return data;
}
