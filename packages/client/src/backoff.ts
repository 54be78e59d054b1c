const longestMs = 15_000;

/**
 * Returns an exponential backoff up to 15 s, with jitter between half and all of it, so that clients do not retry in step.
 * @param tries failed tries, from 1
 * @returns ms
 */
export function backoffMs(tries: number, firstMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(tries - 1, 16)) * (0.5 + Math.random() / 2);
}
