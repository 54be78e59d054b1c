/** A Redis has reached its memory limit and may evict nothing: it answers OOM to writes. */
import { defineFault } from './define-fault.js';
import { aMaster, nameOf, servedTracks, setConfig } from './redis-node.js';

export const fillMemory = defineFault('fill-memory', 'both', async ({ system }, random, undo) => {
  const server = await aMaster(system, random);
  undo.spoil(...servedTracks(system));
  // One that was started again has its own limit again, which is none.
  undo.add(() => (server.running ? setConfig(server, 'maxmemory', '0') : undefined));
  await setConfig(server, 'maxmemory', '100kb');
  return { what: `${nameOf(server)} is at its memory limit`, holdMs: random.between(1000, 5000) };
});
