/** Polls the URL that robots connect to while it is unknown or unreachable, since robot-links may be replaced. */
import type { ConsoleSession } from '@perch/schema';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import { useSignedIn } from './session.js';

const linkUrlKey = ['link-url'];
const pollIntervalMs = 3000;

/** @param lost whether the URL is unreachable @returns empty if no robot-link is live; the last known URL is kept until there is a new one */
export function useLinkUrl({ lost }: { lost: boolean }): string {
  const caller = useCaller();
  const client = useQueryClient();
  const { link_url: initial } = useSignedIn();
  const { data } = useQuery<string>({
    queryKey: linkUrlKey,
    queryFn: async ({ signal }) => {
      const session = await caller.get<ConsoleSession>('/console/session', { signal });
      return (session.signed_in && session.link_url) || (client.getQueryData<string>(linkUrlKey) ?? initial);
    },
    initialData: initial,
    staleTime: Infinity,
    refetchInterval: ({ state }) => (lost || state.data === '') && pollIntervalMs,
    refetchIntervalInBackground: true,
  });
  return data;
}
