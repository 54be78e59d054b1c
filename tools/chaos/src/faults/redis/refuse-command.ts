/** The services' user may no longer run one of the commands that `deploy/redis/users.acl` permits, as with a file of an older release. */
import { readFileSync } from 'node:fs';
import { defineFault } from '../define-fault.js';
import { servedTracks } from './redis-node.js';

const usersFile = new URL('../../../../../deploy/redis/users.acl', import.meta.url);

export const refuseCommand = defineFault('refuse-command', 'both', async ({ system }, random, undo) => {
  const command = random.pick(permitted());
  const askedAt = performance.now();
  undo.impair(...servedTracks(system));
  undo.add(() => system.redis.sendToAll(['ACL', 'SETUSER', 'perch', `+${command}`]));
  await system.redis.sendToAll(['ACL', 'SETUSER', 'perch', `-${command}`]);
  // A script that meets the refusal has done what stood before it, and not what stands behind it.
  return { what: `the user perch may not run ${command}`, holdMs: random.between(500, 4000), lostSince: () => askedAt };
});

/** A server before 7.2 does not know the last ones. */
function permitted(): string[] {
  const line = /^user perch .*$/m.exec(readFileSync(usersFile, 'utf8'))![0];
  return [...line.matchAll(/ \+(\S+)/g)].map(([, command]) => command!).filter((command) => !['waitaof', 'client|setinfo'].includes(command));
}
