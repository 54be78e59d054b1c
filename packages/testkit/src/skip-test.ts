import type { Context } from 'mocha';

/** On the test or on the suite whose `before` hook skipped. The reporter reads the same symbol. */
const skipReason = Symbol.for('perch.skipReason');

/** From a `before` hook, skips every test of the suite. Does not return. */
export function skipTest(context: Context, reason: string): never {
  const runnable: { type?: string; parent?: object | undefined } | undefined = context.test;
  const skipped = runnable?.type === 'hook' ? runnable.parent : runnable;
  if (skipped !== undefined) Object.assign(skipped, { [skipReason]: reason });
  context.skip();
  throw new Error('skip() returned');
}
