/** How long ago, going on by itself; the exact time on hover. */
import { useEffect, useState } from 'react';
import { relativeTime, timeOf } from './time.js';

const everyMs = 15_000;

/** @param at RFC 3339 */
export function Ago({ at }: { at: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={timeOf(at)}>
      {relativeTime(Date.parse(at), Math.max(now, Date.now() - everyMs))}
    </time>
  );
}
