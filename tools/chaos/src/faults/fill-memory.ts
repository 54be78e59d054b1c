/** A Redis has reached its memory limit and may evict nothing: it answers OOM to writes. Keys must still be revocable, which takes no room. */
import { defineFault } from './define-fault.js';
import { aMaster, nameOf, servedTracks, setConfig } from './redis-node.js';

export const fillMemory = defineFault('fill-memory', 'both', async ({ system, revokeKeys }, random, undo) => {
  const server = await aMaster(system, random);
  undo.spoil(...servedTracks(system));
  // One that was started again has its own limit again, which is none.
  undo.add(() => (server.running ? setConfig(server, 'maxmemory', '0') : undefined));
  await setConfig(server, 'maxmemory', '100kb');
  await revokeKeys();
  return { what: `${nameOf(server)} is at its memory limit; a key of each account was revoked then`, holdMs: random.between(1000, 5000) };
});
