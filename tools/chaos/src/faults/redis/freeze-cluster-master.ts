/** A Cluster master is stopped until a replica has taken over, then resumes as if it were still the master. */
import { freeze } from '../../system/frozen.js';
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks, unwrittenMs } from './redis-node.js';

export const freezeClusterMaster = defineFault('freeze-cluster-master', 'cluster', async ({ system }, random, undo) => {
  const master = await aMaster(system, random);
  undo.impair(...servedTracks(system));
  const stoppedAt = performance.now();
  undo.add(await freeze(master.pid));
  return { what: `SIGSTOP ${nameOf(master)}, a master`, holdMs: random.between(1500, 7000), lostSince: () => stoppedAt - unwrittenMs };
});
