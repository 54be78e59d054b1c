/** Reads what robots show now, for the cards of a list that are in the browser's window, while the tab is visible. */
import type { ConsoleRobot, ShownAnswer, ShownRobot } from '@perch/schema';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode, type RefObject } from 'react';
import { useCaller } from '../../../api/api.js';

const readMs = 1000;
/** Gateways refuse more. */
const atOnceMax = 50;

const SeenContext = createContext<SeenRobots | null>(null);

const shownKey = (robot: string) => ['shown', robot];

/** Robots on the screen of the browser, the one read longest ago first. */
export class SeenRobots {
  readonly #ids = new Set<string>();
  readonly #changed: (isAny: boolean) => void;

  constructor(changed: (isAny: boolean) => void) {
    this.#changed = changed;
  }

  set(robot: string, isSeen: boolean): void {
    if (isSeen) this.#ids.add(robot);
    else this.#ids.delete(robot);
    this.#changed(this.#ids.size > 0);
  }

  /** Returns the robots to read next; more than fit into one request take turns. */
  next(max: number): string[] {
    const due = [...this.#ids].slice(0, max);
    for (const id of due) {
      this.#ids.delete(id);
      this.#ids.add(id);
    }
    return due;
  }
}

export function SeenRobotsProvider({ children }: { children: ReactNode }) {
  const caller = useCaller();
  const client = useQueryClient();
  const [isAny, setAny] = useState(false);
  const seen = useMemo(() => new SeenRobots(setAny), []);
  useQuery({
    queryKey: ['shown'],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams(seen.next(atOnceMax).map((id): [string, string] => ['robot', id]));
      if (query.size === 0) return 0;
      const { robots } = await caller.get<ShownAnswer>(`/console/shown?${query}`, { signal });
      for (const robot of robots) client.setQueryData<ShownRobot>(shownKey(robot.id), robot);
      return robots.length;
    },
    enabled: isAny,
    retry: false,
    staleTime: 0,
    refetchInterval: readMs,
  });
  return <SeenContext value={seen}>{children}</SeenContext>;
}

/**
 * @param host element of the robot in the list
 * @returns `now`: what the robot shows, null until it is known; `wasSeen`: whether the element has been in the browser's window since the robot is online
 */
export function useShownRobot({ id, online }: Pick<ConsoleRobot, 'id' | 'online'>, host: RefObject<Element | null>) {
  const seen = useContext(SeenContext);
  const [wasSeen, setWasSeen] = useState(false);
  useEffect(() => {
    if (seen === null || !online) return;
    const observer = new IntersectionObserver((entries) => {
      const { isIntersecting } = entries.at(-1)!;
      seen.set(id, isIntersecting);
      if (isIntersecting) setWasSeen(true);
    });
    observer.observe(host.current!);
    return () => {
      observer.disconnect();
      seen.set(id, false);
      setWasSeen(false);
    };
  }, [seen, id, online, host]);
  const { data: now = null } = useQuery<ShownRobot | null>({ queryKey: shownKey(id), enabled: false });
  return { now, wasSeen };
}
