/**
 * A tab that nobody sees holds no stream: over HTTP/1.1 a browser has six connections for all tabs of an origin, and six streams would leave
 * none for anything else. A short look elsewhere costs nothing.
 */
import type { LiveStream } from './live-stream.js';

const afterMsDefault = 10_000;

/** @param afterMs how long a tab may be hidden before its stream is closed @returns ends it */
export function restWhileHidden(
  stream: Pick<LiveStream, 'rest' | 'resume'>,
  tab: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>,
  afterMs = afterMsDefault,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (tab.visibilityState === 'visible') stream.resume();
    else timer = setTimeout(() => stream.rest(), afterMs);
  };
  tab.addEventListener('visibilitychange', look);
  // One that was opened behind another begins when it is looked at.
  if (tab.visibilityState !== 'visible') stream.rest();
  return () => {
    clearTimeout(timer);
    tab.removeEventListener('visibilitychange', look);
  };
}
