/** Whose turn it is to use the append-only file under `.perch/redis`: two servers on one file would spoil it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RedisDir {
  readonly path: string;
  /** Says which server writes there, so that a start after a crash of ours waits for its end. */
  heldBy(pid: number): void;
  release(): void;
}

/** Claims the directory. Null when another start has it; one that was killed gives its server 6 s to end. */
export async function claimRedisDir(stateDir: string): Promise<RedisDir | null> {
  const path = join(stateDir, 'redis');
  const claim = join(stateDir, 'redis.claim');
  mkdirSync(path, { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(claim, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      return {
        path,
        heldBy: (pid) => writeFileSync(claim, `${process.pid} ${pid}\n`, { mode: 0o600 }),
        release: () => rmSync(claim, { force: true }),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [launcher = 0, server = 0] = holders(claim);
    if (launcher !== process.pid && alive(launcher)) return null;
    if (alive(server)) {
      if (attempt > 60) return null;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } else {
      rmSync(claim, { force: true });
    }
  }
}

function holders(claim: string): number[] {
  try {
    return readFileSync(claim, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

function alive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
