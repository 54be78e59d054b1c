import type { LiveEvent, RobotsAnswer, SignedIn, RobotSnapshot } from '@perch/schema';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, startTransition, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useCaller } from '../api.js';
import { HeldEvents } from './held-events.js';
import { LiveStream, type LiveStatus, type LiveStreamOptions } from './live-stream.js';
import { noEvents, withEvent, withGap, type RobotEvents } from './robot-events.js';
import { pauseWhileHidden, sharesConnections } from './pause-while-hidden.js';
import { robotsKey } from '../robots.js';
import { idOnScreen, requestPicture } from '../screen-picture.js';

interface Live {
  stream: LiveStream;
  /** Connects, or retries now. */
  resume(): void;
  /** Events of the robot that is watched first, until its page is there. */
  held: HeldEvents<Parameters<LiveStreamOptions['onEvent']>>;
}

/** Two contexts, so that a component that uses the stream is not rendered again when its status changes. */
const LiveContext = createContext<Live | null>(null);
const StatusContext = createContext<PageStatus>('connecting');

/** `crowded_out`: other windows of the browser have all streams. */
export type PageStatus = LiveStatus | 'crowded_out';

const snapshotKey = (robot: string) => ['snapshot', robot];
const eventsKey = (robot: string) => ['events', robot];

interface Props {
  /** Session of the stream; a new session of the same account continues it. */
  session: SignedIn;
  /** Robot of the page that is shown first, which is watched before that page is rendered, or null. */
  first: string | null;
  onSignedOut(): void;
  children: ReactNode;
}

export function LiveProvider({ session, first, onSignedOut, children }: Props) {
  const caller = useCaller();
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const [isCrowdedOut, setCrowdedOut] = useState(false);
  const [firstRobot] = useState(first);
  const openRef = useRef(() => {});
  const live = useMemo<Live>(() => {
    const held = new HeldEvents<Parameters<LiveStreamOptions['onEvent']>>(firstRobot !== null, ([event, robot]) => applyEvent(client, event, robot));
    const stream = new LiveStream({
      open: (path, init) => caller.raw(path, init),
      onEvent: (event, robot) => {
        // The picture of the page that is shown first is requested before the page is rendered.
        if (robot !== null && robot === firstRobot && event.event === 'twin') requestPicture(client, caller, robot, idOnScreen(event.data));
        held.add([event, robot]);
      },
      // In a transition: an urgent change would make React render a page that is being rendered in pieces once more, at once and as a whole.
      onStatus: (next) => startTransition(() => setStatus(next)),
      onSignedOut,
    });
    stream.watch(firstRobot);
    return { stream, held, resume: () => openRef.current() };
  }, [caller, client, firstRobot, onSignedOut]);
  const { stream } = live;
  useEffect(() => {
    const openChannel = sharesConnections() ? () => new BroadcastChannel('perch-live') : null;
    const { open, end } = pauseWhileHidden({ stream, tab: document, window, openChannel, onCrowdedOut: setCrowdedOut });
    openRef.current = open;
    return end;
  }, [stream]);
  useEffect(() => stream.start(session.csrf), [stream, session.csrf]);
  useEffect(() => {
    const reconnect = () => stream.reconnect();
    window.addEventListener('offline', reconnect);
    return () => {
      window.removeEventListener('offline', reconnect);
      stream.stop();
    };
  }, [stream]);
  return (
    <LiveContext value={live}>
      <StatusContext value={isCrowdedOut ? 'crowded_out' : status}>{children}</StatusContext>
    </LiveContext>
  );
}

function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('no LiveProvider above');
  return live;
}

export function useLiveStatus(): PageStatus {
  return useContext(StatusContext);
}

export function useLiveResume(): () => void {
  const { resume } = useLive();
  return resume;
}

/** Watches a robot while the component is mounted, one robot at a time. Its snapshot is null until the first one arrives. */
export function useWatchedRobot(robot: string): { snapshot: RobotSnapshot | null } & RobotEvents {
  const events = useWatchedEvents(robot);
  const { data: snapshot = null } = useQuery<RobotSnapshot | null>({ queryKey: snapshotKey(robot), enabled: false });
  return { snapshot, ...events };
}

/** As `useWatchedRobot`, for components that need no snapshot: the component is rendered again only for events. */
export function useWatchedEvents(robot: string): RobotEvents {
  const { stream, held } = useLive();
  const client = useQueryClient();
  useEffect(() => {
    stream.watch(robot);
    held.release();
    return () => {
      stream.watch(null);
      client.removeQueries({ queryKey: snapshotKey(robot) });
    };
  }, [stream, held, client, robot]);
  const { data: events = noEvents } = useQuery<RobotEvents>({ queryKey: eventsKey(robot), enabled: false });
  return events;
}

function applyEvent(client: QueryClient, event: LiveEvent, robot: string | null): void {
  if (event.event === 'robots') client.setQueryData<RobotsAnswer>(robotsKey, event.data);
  else if (robot === null) return;
  else if (event.event === 'twin') client.setQueryData<RobotSnapshot>(snapshotKey(robot), event.data);
  else if (event.event === 'event') client.setQueryData<RobotEvents>(eventsKey(robot), (before = noEvents) => withEvent(before, event.data));
  else client.setQueryData<RobotEvents>(eventsKey(robot), (before = noEvents) => withGap(before, event.data));
}
