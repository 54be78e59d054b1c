/** How long to wait before the next try: longer each time, and never in step with others. */

const longestMs = 15_000;

/**
 * Between half and all of a time that doubles with each try.
 * @param tries that have failed, from 1
 * @param firstMs the time of the first
 */
export function backoffMs(tries: number, firstMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(tries - 1, 16)) * (0.5 + Math.random() / 2);
}
