/**
 * Pauses the stream of a hidden tab: over HTTP/1.1 a browser opens at most six connections per origin, which the streams of six tabs would use up.
 * Tabs that are hidden briefly keep their stream.
 */
import type { LiveStream } from './live-stream.js';

const afterMsDefault = 10_000;

/** @param afterMs time that a tab may be hidden before its stream is paused @returns removes the listeners */
export function pauseWhileHidden(
  stream: Pick<LiveStream, 'pause' | 'resume'>,
  tab: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>,
  afterMs = afterMsDefault,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    clearTimeout(timer);
    if (tab.visibilityState === 'visible') stream.resume();
    else timer = setTimeout(() => stream.pause(), afterMs);
  };
  tab.addEventListener('visibilitychange', update);
  // A tab that was opened in the background connects when it is shown.
  if (tab.visibilityState !== 'visible') stream.pause();
  return () => {
    clearTimeout(timer);
    tab.removeEventListener('visibilitychange', update);
  };
}
