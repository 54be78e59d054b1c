/**
 * Decides when the page has its live stream. Over HTTP/1.1 a browser opens at most six connections to an origin, and a page that finds them taken by the
 * streams of others does not load.
 * - A tab that is hidden keeps its stream for a moment, since it is often shown again soon, but no longer than until another page opens one.
 * - A page that was left for another one lets go at once. Browsers keep it, so that going back is fast: its timers stop, and its stream would stay open.
 * - Of the windows that are seen side by side, those used last have one; the others say so, and continue when they are used.
 */
import type { LiveStream } from './live-stream.js';

const afterMsDefault = 10_000;
/** Two connections are left to load pages. */
const streamsMax = 4;

type Listening<T extends EventTarget> = Pick<T, 'addEventListener' | 'removeEventListener'>;

export interface PageStream {
  stream: Pick<LiveStream, 'pause' | 'resume'>;
  tab: Pick<Document, 'visibilityState'> & Listening<Document>;
  window: Listening<Window>;
  /** Opens a channel to the other pages of the browser; null if they do not share connections, as over HTTP/2. */
  openChannel: (() => Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'>) | null;
  /** Called when other windows have all streams, and when this one has its stream again. */
  onCrowdedOut(isCrowdedOut: boolean): void;
  /** Time that a tab may be hidden before its stream is paused, ms. */
  afterMs?: number;
}

type Message = { opened: string } | { closed: string };

/** @returns `open` resumes the stream, `end` removes the listeners */
export function pauseWhileHidden({ stream, tab, window, openChannel, onCrowdedOut, afterMs = afterMsDefault }: PageStream): {
  open(): void;
  end(): void;
} {
  const id = Math.random().toString(36).slice(2);
  /** Pages that opened their stream, or were used, after this one. */
  const newer = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = false;
  let isCrowdedOut = false;
  let channel: ReturnType<NonNullable<PageStream['openChannel']>> | null = null;
  const listening = new AbortController();
  const { signal } = listening;
  const isVisible = () => tab.visibilityState === 'visible';

  const crowdOut = (is: boolean): void => {
    if (is === isCrowdedOut) return;
    isCrowdedOut = is;
    onCrowdedOut(is);
  };
  const announce = (): void => {
    clearTimeout(timer);
    newer.clear();
    isOpen = true;
    crowdOut(false);
    channel?.postMessage({ opened: id } satisfies Message);
  };
  const open = (): void => {
    announce();
    stream.resume();
  };
  const close = (): void => {
    clearTimeout(timer);
    const wasOpen = isOpen;
    isOpen = false;
    stream.pause();
    if (wasOpen) channel?.postMessage({ closed: id } satisfies Message);
  };
  const openIfVisible = () => isVisible() && open();
  const hear = ({ data }: MessageEvent<Message>): void => {
    if ('closed' in data) {
      newer.delete(data.closed);
      if (isCrowdedOut && newer.size < streamsMax) openIfVisible();
      return;
    }
    newer.add(data.opened);
    if (!isOpen) return;
    if (!isVisible()) close();
    else if (newer.size >= streamsMax) {
      crowdOut(true);
      close();
    }
  };
  const connect = (): void => {
    if (channel !== null || openChannel === null) return;
    channel = openChannel();
    channel.addEventListener('message', hear);
  };
  const disconnect = (): void => {
    channel?.close();
    channel = null;
  };

  tab.addEventListener(
    'visibilitychange',
    () => {
      clearTimeout(timer);
      if (isVisible()) open();
      else timer = setTimeout(close, afterMs);
    },
    { signal },
  );
  window.addEventListener(
    'pagehide',
    () => {
      close();
      // A message would make the browser discard the page.
      disconnect();
    },
    { signal },
  );
  window.addEventListener(
    'pageshow',
    // Whether or not the browser had kept the page: some hide and show a page without leaving it.
    () => {
      connect();
      openIfVisible();
    },
    { signal },
  );
  window.addEventListener('focus', openIfVisible, { signal });
  window.addEventListener('online', openIfVisible, { signal });
  connect();
  // The stream starts with the session. A tab that was opened in the background connects when it is shown.
  if (isVisible()) announce();
  else stream.pause();
  return {
    open,
    end() {
      clearTimeout(timer);
      listening.abort();
      disconnect();
    },
  };
}

/** Returns whether the pages of this browser share few connections to the service. */
export function sharesConnections(): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return !['h2', 'h3'].includes(page?.nextHopProtocol ?? '');
}
