export interface UntilOptions {
  /** Default: 40 s, since it bounds a failure and measures nothing. */
  timeoutMs?: number;
  /** Default: 10. */
  everyMs?: number;
  what?: string;
}

/** Returns the first truthy value of `condition`. Its errors count as "not yet". @throws after `timeoutMs`, with the last error as cause */
export async function until<T>(condition: () => T | Promise<T>, options: UntilOptions = {}): Promise<NonNullable<T>> {
  const { timeoutMs = 40_000, everyMs = 10, what = 'the condition' } = options;
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
