/** Waiting for a condition instead of sleeping. */

export interface UntilOptions {
  /** Default 5000. */
  timeoutMs?: number;
  /** Default 10. */
  everyMs?: number;
  /** What is waited for, for the error. */
  what?: string;
}

/**
 * Asks until the answer is truthy, and returns it.
 * @throws after `timeoutMs` without one, with the last error of `condition` as its cause; an error of `condition` counts as "not yet"
 */
export async function until<T>(condition: () => T | Promise<T>, options: UntilOptions = {}): Promise<NonNullable<T>> {
  const { timeoutMs = 5000, everyMs = 10, what = 'the condition' } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await condition();
      if (answer) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
