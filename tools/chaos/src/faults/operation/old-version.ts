/** One instance is replaced by one of the last release, which serves beside this version for a while, then by this version again. */
import { newestRelease, releaseTree } from '@perch/testkit';
import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';

/** Long enough for calls, waits and inputs between the two versions, ms. */
const besideMs = [3000, 7000] as const;

export const oldVersion: Fault = {
  ...defineFault('old-version', 'both', async ({ system }, random, undo) => {
    const { version, root } = await releaseTree(newestRelease(), () => undefined);
    const victim = random.pick(system.instances);
    undo.add(() => victim.start());
    undo.add(() => victim.drain());
    await victim.drain();
    await victim.start({}, root);
    return { what: `${victim.place} replaced by ${version}`, holdMs: random.between(...besideMs) };
  }),
  prepare: (log) =>
    Promise.resolve()
      .then(() => releaseTree(newestRelease(), log))
      .then(
        () => null,
        (error: Error) => error.message,
      ),
};
