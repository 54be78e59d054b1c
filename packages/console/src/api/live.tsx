import type { LiveEvent, RobotsAnswer, SignedIn, RobotSnapshot } from '@perch/schema';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, startTransition, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useCaller } from './api.js';
import { LiveStream, type LiveStatus } from './live-stream.js';
import { noEvents, withEvent, withGap, type RobotEvents } from './robot-events.js';
import { pauseWhileHidden } from './pause-while-hidden.js';
import { robotsKey } from './robots.js';

/** Two contexts, so that a component that uses the stream is not rendered again when its status changes. */
const StreamContext = createContext<LiveStream | null>(null);
const StatusContext = createContext<LiveStatus>('connecting');

const snapshotKey = (robot: string) => ['snapshot', robot];
const eventsKey = (robot: string) => ['events', robot];

/** @param session session of the stream; a new session of the same account continues it */
export function LiveProvider({ session, onSignedOut, children }: { session: SignedIn; onSignedOut: () => void; children: ReactNode }) {
  const caller = useCaller();
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const stream = useMemo(
    () =>
      new LiveStream({
        open: (path, init) => caller.raw(path, init),
        onEvent: (event, robot) => applyEvent(client, event, robot),
        // In a transition: an urgent change would make React render a page that is being rendered in pieces once more, at once and as a whole.
        onStatus: (next) => startTransition(() => setStatus(next)),
        onSignedOut,
      }),
    [caller, client, onSignedOut],
  );
  useEffect(() => pauseWhileHidden(stream, document), [stream]);
  useEffect(() => stream.start(session.csrf), [stream, session.csrf]);
  useEffect(() => {
    const resume = () => document.visibilityState === 'visible' && stream.resume();
    const reconnect = () => stream.reconnect();
    window.addEventListener('online', resume);
    window.addEventListener('offline', reconnect);
    return () => {
      window.removeEventListener('online', resume);
      window.removeEventListener('offline', reconnect);
      stream.stop();
    };
  }, [stream]);
  return (
    <StreamContext value={stream}>
      <StatusContext value={status}>{children}</StatusContext>
    </StreamContext>
  );
}

function useStream(): LiveStream {
  const stream = useContext(StreamContext);
  if (stream === null) throw new Error('no LiveProvider above');
  return stream;
}

export function useLiveStatus(): LiveStatus {
  return useContext(StatusContext);
}

export function useLiveResume(): () => void {
  const stream = useStream();
  return () => stream.resume();
}

/** Watches a robot while the component is mounted, one robot at a time. Its snapshot is null until the first one arrives. */
export function useWatchedRobot(robot: string): { snapshot: RobotSnapshot | null } & RobotEvents {
  const events = useWatchedEvents(robot);
  const { data: snapshot = null } = useQuery<RobotSnapshot | null>({ queryKey: snapshotKey(robot), enabled: false });
  return { snapshot, ...events };
}

/** As `useWatchedRobot`, for components that need no snapshot: the component is rendered again only for events. */
export function useWatchedEvents(robot: string): RobotEvents {
  const stream = useStream();
  const client = useQueryClient();
  useEffect(() => {
    stream.watch(robot);
    return () => {
      stream.watch(null);
      client.removeQueries({ queryKey: snapshotKey(robot) });
    };
  }, [stream, client, robot]);
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
