/** Skipping with a reason, which the reporter prints. */
import type { Context } from 'mocha';

const reasons = new WeakMap<object, string>();

/** Skips the running test, or from a `before` hook every test of its suite. Does not return. */
export function skipTest(context: Context, reason: string): never {
  const runnable: { type?: string; parent?: object | undefined } | undefined = context.test;
  if (runnable !== undefined) reasons.set(runnable.type === 'hook' && runnable.parent !== undefined ? runnable.parent : runnable, reason);
  context.skip();
  throw new Error('skip() returned');
}

/** The reason a test was skipped for, or null where none was given. */
export function skipReasonOf(test: { parent?: object | undefined }): string | null {
  for (let at: { parent?: object | undefined } | undefined = test; at !== undefined; at = at.parent) {
    const reason = reasons.get(at);
    if (reason !== undefined) return reason;
  }
  return null;
}
