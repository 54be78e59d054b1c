/** Activity and usage of the account, by the public API of /v1/activity with this session. */
import type { ActivityAnswer, ActivityView, UsageAnswer } from '@perch/schema';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';

const base = '/console/v1/activity';
const pageLimit = 50;
const newerLimit = 500;
const pollIntervalMs = 5000;

/** Empty: no filter. */
export interface ActivityFilter {
  robot: string;
  key: string;
  action: string;
  outcome: string;
  kind: string;
}

/** Newest first; new entries are added as they are stored. Until the entries of a new filter are there, those of the one before. */
export function useActivity(filter: ActivityFilter) {
  const caller = useCaller();
  const client = useQueryClient();
  const query = queryOf(filter);
  const key = ['activity', query];
  const pages = useInfiniteQuery<ActivityAnswer, CallError, InfiniteData<ActivityAnswer>, string[], number | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      caller.get(`${base}?limit=${pageLimit}${pageParam === null ? '' : `&before=${pageParam}`}${query}`, { signal }),
    initialPageParam: null,
    getNextPageParam: ({ next_before }) => next_before,
    // Later entries are added to the first page; reading all pages again would not add them.
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  useQuery<null, CallError>({
    queryKey: ['activity-newer', query],
    queryFn: async ({ signal }) => {
      const after = client.getQueryData<InfiniteData<ActivityAnswer>>(key)?.pages[0]?.last_seq ?? 0;
      const newer = await caller.get<ActivityAnswer>(`${base}?limit=${newerLimit}&after=${after}${query}`, { signal });
      client.setQueryData<InfiniteData<ActivityAnswer>>(key, (data) => data && withNewer(data, newer));
      return null;
    },
    enabled: pages.data !== undefined && !pages.isPlaceholderData,
    refetchInterval: pollIntervalMs,
    gcTime: 0,
  });
  const entries: ActivityView[] = pages.data?.pages.flatMap(({ activity }) => activity.toReversed()) ?? [];
  return { ...pages, entries };
}

function withNewer(data: InfiniteData<ActivityAnswer>, { activity, last_seq }: ActivityAnswer): InfiniteData<ActivityAnswer> {
  const [first, ...others] = data.pages;
  if (first === undefined || first.last_seq >= last_seq) return data;
  return { ...data, pages: [{ ...first, activity: [...first.activity, ...activity], last_seq }, ...others] };
}

export function useUsage() {
  const caller = useCaller();
  return useQuery<UsageAnswer, CallError>({
    queryKey: ['usage'],
    queryFn: ({ signal }) => caller.get(`${base}/usage`, { signal }),
    refetchInterval: 30_000,
  });
}

export function exportUrl(format: 'csv' | 'json', filter: ActivityFilter): string {
  return `${base}/export?format=${format}${queryOf(filter)}`;
}

function queryOf(filter: ActivityFilter): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  return query.size === 0 ? '' : `&${query}`;
}
