/** The live stream in the page: robots into their list, the watched robot's twin and events beside it. */
import type { LiveEvent, RobotsAnswer, SignedIn, Twin } from '@perch/schema';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useCaller } from './api.js';
import { LiveStream, type LiveStatus } from './live-stream.js';
import { noEvents, withEvent, withGap, type RobotEvents } from './robot-events.js';
import { restWhileHidden } from './rest-while-hidden.js';
import { robotsKey } from './robots.js';

interface Live {
  status: LiveStatus;
  stream: LiveStream;
}

const LiveContext = createContext<Live | null>(null);

const twinKey = (robot: string) => ['twin', robot];
const eventsKey = (robot: string) => ['events', robot];

/** @param session whose it is: a new one of the same account goes on with the stream */
export function LiveProvider({ session, onSignedOut, children }: { session: SignedIn; onSignedOut: () => void; children: ReactNode }) {
  const caller = useCaller();
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const stream = useMemo(
    () =>
      new LiveStream({
        open: (path, init) => caller.raw(path, init),
        onEvent: (event, robot) => take(client, event, robot),
        onStatus: setStatus,
        onSignedOut,
      }),
    [caller, client, onSignedOut],
  );
  useEffect(() => restWhileHidden(stream, document), [stream]);
  useEffect(() => stream.begin(session.csrf), [stream, session.csrf]);
  useEffect(() => {
    const resume = () => document.visibilityState === 'visible' && stream.resume();
    const doubt = () => stream.doubt();
    window.addEventListener('online', resume);
    window.addEventListener('offline', doubt);
    return () => {
      window.removeEventListener('online', resume);
      window.removeEventListener('offline', doubt);
      stream.stop();
    };
  }, [stream]);
  return <LiveContext value={useMemo(() => ({ status, stream }), [status, stream])}>{children}</LiveContext>;
}

function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('no LiveProvider above');
  return live;
}

export function useLiveStatus(): LiveStatus {
  return useLive().status;
}

/** Tries again now. */
export function useLiveResume(): () => void {
  const { stream } = useLive();
  return () => stream.resume();
}

/** Watches one robot while the component is there: its twin, null until it is told, and its events since. One robot at a time. */
export function useWatchedRobot(robot: string): { twin: Twin | null } & RobotEvents {
  const { stream } = useLive();
  const client = useQueryClient();
  useEffect(() => {
    stream.watch(robot);
    return () => {
      stream.watch(null);
      client.removeQueries({ queryKey: twinKey(robot) });
    };
  }, [stream, client, robot]);
  const { data: twin = null } = useQuery<Twin | null>({ queryKey: twinKey(robot), enabled: false });
  const { data: events = noEvents } = useQuery<RobotEvents>({ queryKey: eventsKey(robot), enabled: false });
  return { twin, ...events };
}

function take(client: QueryClient, told: LiveEvent, robot: string | null): void {
  if (told.event === 'robots') client.setQueryData<RobotsAnswer>(robotsKey, told.data);
  else if (robot === null) return;
  else if (told.event === 'twin') client.setQueryData<Twin>(twinKey(robot), told.data);
  else if (told.event === 'event') client.setQueryData<RobotEvents>(eventsKey(robot), (before = noEvents) => withEvent(before, told.data));
  else client.setQueryData<RobotEvents>(eventsKey(robot), (before = noEvents) => withGap(before, told.data));
}
