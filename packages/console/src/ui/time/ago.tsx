/** Relative times that update themselves, with the exact time as a tooltip. */
import { relativeTime, timeOf } from './time.js';
import { useNow } from './use-now.js';

/** @param at RFC 3339 */
export function Ago({ at }: { at: string }) {
  const then = Date.parse(at);
  return <Time at={at} now={Math.max(useNow(), then)} />;
}

/** @param at RFC 3339 */
export function Ahead({ at }: { at: string }) {
  return <Time at={at} now={useNow()} />;
}

function Time({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={timeOf(at)}>
      {relativeTime(Date.parse(at), now)}
    </time>
  );
}
