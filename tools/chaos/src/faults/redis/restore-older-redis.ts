/** The single Redis restarts with files from some seconds before: what it acknowledged since is lost. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineFault } from '../define-fault.js';
import { nameOf, servedTracks, unwrittenMs } from './redis-node.js';

const olderMs = [300, 3000] as const;
const files = 'appendonlydir';

export const restoreOlderRedis = defineFault('restore-older-redis', 'single', async ({ system }, random, undo) => {
  const [server] = system.redis.nodes;
  const { dir } = system.redis;
  if (server === undefined || dir === null) throw new Error('no Redis with a directory of its own');
  const kept = await mkdtemp(join(dirname(dir), 'older-'));
  undo.add(() => rm(kept, { recursive: true, force: true }));
  const copiedAt = performance.now();
  // Redis treats a file that was being written as truncated.
  await cp(join(dir, files), join(kept, files), { recursive: true });
  const copyMs = random.between(...olderMs);
  await sleep(copyMs);

  undo.impair(...servedTracks(system));
  undo.add(() => server.restart());
  await server.kill();
  await rm(join(dir, files), { recursive: true });
  await cp(join(kept, files), join(dir, files), { recursive: true });
  return {
    what: `${nameOf(server)} restored as it was ${Math.round(copyMs)} ms before`,
    holdMs: random.between(0, 2000),
    lostSince: () => copiedAt - unwrittenMs,
  };
});
