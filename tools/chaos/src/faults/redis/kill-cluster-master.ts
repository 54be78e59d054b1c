/** A Cluster master is killed; if it stays away long enough, a replica takes over. It restarts with its append-only file. */
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks, unwrittenMs } from './redis-node.js';

export const killClusterMaster = defineFault('kill-cluster-master', 'cluster', async ({ system }, random, undo) => {
  const master = await aMaster(system, random);
  undo.impair(...servedTracks(system));
  undo.add(() => master.restart());
  const killedAt = performance.now();
  await master.kill();
  return { what: `SIGKILL ${nameOf(master)}, a master`, holdMs: random.between(500, 7000), lostSince: () => killedAt - unwrittenMs };
});
