/** Redis is at its memory limit and must not evict: it answers OOM to writes. Revoking keys must still work, since it needs no memory. */
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks, setConfig } from './redis-node.js';

export const fillMemory = defineFault('fill-memory', 'both', async ({ system, revokeKeys }, random, undo) => {
  const server = await aMaster(system, random);
  undo.impair(...servedTracks(system));
  undo.add(() => (server.running ? setConfig(server, 'maxmemory', '0') : undefined));
  await setConfig(server, 'maxmemory', '100kb');
  await revokeKeys();
  return { what: `${nameOf(server)} is at its memory limit; a key of each account was revoked then`, holdMs: random.between(1000, 5000) };
});
