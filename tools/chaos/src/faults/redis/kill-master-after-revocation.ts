/** The master is killed as soon as a revocation is answered. The replica that takes over has it, although it need not have other writes. */
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks, unwrittenMs } from './redis-node.js';

export const killMasterAfterRevocation = defineFault('kill-master-after-revocation', 'cluster', async ({ system, revokeKeys }, random, undo) => {
  const master = await aMaster(system, random);
  undo.impair(...servedTracks(system));
  undo.add(() => master.restart());
  await revokeKeys();
  const killedAt = performance.now();
  await master.kill();
  return { what: `SIGKILL ${nameOf(master)} after keys were revoked`, holdMs: random.between(4000, 8000), lostSince: () => killedAt - unwrittenMs };
});
