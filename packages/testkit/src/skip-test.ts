/** Skips tests with a reason, which the reporter (`reporter.mjs`) prints. */
import type { Context } from 'mocha';

/** Property with the reason, on the test or on the suite whose `before` hook skipped. The reporter reads the same symbol. */
const skipReason = Symbol.for('perch.skipReason');

/** Skips the running test, or from a `before` hook every test of its suite. Does not return. */
export function skipTest(context: Context, reason: string): never {
  const runnable: { type?: string; parent?: object | undefined } | undefined = context.test;
  const skipped = runnable?.type === 'hook' ? runnable.parent : runnable;
  if (skipped !== undefined) Object.assign(skipped, { [skipReason]: reason });
  context.skip();
  throw new Error('skip() returned');
}
