/** Somebody sets the policy of a cache. Nothing is evicted yet, since the memory is not full; nothing may change for calls. */
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, setConfig } from './redis-node.js';

export const evictingPolicy = defineFault('evicting-policy', 'both', async ({ system }, random, undo) => {
  const server = await aMaster(system, random);
  const policy = random.pick(['volatile-lru', 'allkeys-lru', 'volatile-ttl']);
  undo.add(() => (server.running ? setConfig(server, 'maxmemory-policy', 'noeviction') : undefined));
  await setConfig(server, 'maxmemory-policy', policy);
  return { what: `${nameOf(server)} has the policy ${policy}`, holdMs: random.between(500, 3000) };
});
