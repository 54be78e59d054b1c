/** Robots of a list: up to 200 from the live stream; the others of a larger account are read in slices. */
import type { ConsoleRobot, RobotsAnswer } from '@perch/schema';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';
import { robotsKey, useRobots } from './robots.js';

export interface ListedRobots {
  robots: ConsoleRobot[];
  total: number;
  hasMore: boolean;
  isReading: boolean;
  error: CallError | null;
  showMore(): void;
}

export interface RobotFilter {
  /** Part of a name or id; empty: all robots. */
  search: string;
  online: boolean | null;
  /** `key=value`; null: any. */
  label: string | null;
}

const sliceLimit = 100;
const searchAfterMs = 250;
/** Interval to reload slices, unless there are too many. */
const readAgainMs = 15_000;
const readAgainSlicesMax = 5;

export function useListedRobots({ search, online = null, label = null }: Pick<RobotFilter, 'search'> & Partial<RobotFilter>): ListedRobots {
  const caller = useCaller();
  const live = useRobots().data;
  const [isLonger, setLonger] = useState(false);
  const text = useSettled(search.trim());
  const isFiltered = text !== '' || online !== null || label !== null;
  const isWhole = live === undefined || live.next === null;
  const slices = useInfiniteQuery<RobotsAnswer, CallError, { pages: RobotsAnswer[] }, string[], string | null>({
    queryKey: [...robotsKey, 'slices', text, String(online), label ?? ''],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        limit: String(sliceLimit),
        search: text,
        ...(online !== null && { online: String(online) }),
        ...(label !== null && { label }),
        ...(pageParam !== null && { after: pageParam }),
      });
      return caller.get(`/console/robots?${query}`, { signal });
    },
    initialPageParam: !isFiltered ? (live?.next ?? null) : null,
    getNextPageParam: ({ next }) => next,
    enabled: !isWhole && (isFiltered || isLonger),
    placeholderData: keepPreviousData,
    staleTime: readAgainMs,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > readAgainSlicesMax ? false : readAgainMs),
  });
  const first = live?.robots ?? [];
  const read = slices.data?.pages.flatMap(({ robots }) => robots) ?? [];
  const total = live?.total ?? 0;
  const none = { total, hasMore: false, isReading: false, error: null, showMore: () => {} };
  if (isWhole) return { ...none, robots: isFiltered ? first.filter((robot) => matches(robot, { search: text, online, label })) : first };
  const { hasNextPage, isFetching, isFetchingNextPage, isPlaceholderData, error } = slices;
  const isReading = isFetchingNextPage || (isFetching && (slices.data === undefined || isPlaceholderData));
  if (!isFiltered && !isLonger) return { ...none, robots: first, hasMore: true, showMore: () => setLonger(true) };
  const robots = !isFiltered ? withoutDoubles([...first, ...read]) : read;
  return { robots, total, hasMore: hasNextPage, isReading, error, showMore: () => void slices.fetchNextPage() };
}

/** Debounces the value, so that a search is not sent with each letter. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), searchAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function matches({ id, name, online, labels = {} }: ConsoleRobot, filter: RobotFilter): boolean {
  if (filter.online !== null && online !== filter.online) return false;
  if (filter.label !== null && !Object.entries(labels).some(([key, value]) => `${key}=${value}` === filter.label)) return false;
  const text = filter.search.toLowerCase();
  return id.includes(text) || name.toLowerCase().includes(text);
}

/** Removes duplicates: adding or removing a robot shifts the end of the live list. */
function withoutDoubles(robots: readonly ConsoleRobot[]): ConsoleRobot[] {
  const byId = new Map<string, ConsoleRobot>();
  for (const robot of robots) if (!byId.has(robot.id)) byId.set(robot.id, robot);
  return [...byId.values()];
}
