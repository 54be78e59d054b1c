/** Exclusive claim on the append-only file under `.perch/redis`, which two servers would corrupt. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RedisDir {
  readonly path: string;
  /** After a crash of this process the next start waits for the exit of this server. */
  recordServer(pid: number): void;
  release(): void;
}

/** Returns null if another start holds the directory. If the holder was killed, waits up to 6 s for the exit of its server. */
export async function claimRedisDir(stateDir: string): Promise<RedisDir | null> {
  const path = join(stateDir, 'redis');
  const claim = join(stateDir, 'redis.claim');
  mkdirSync(path, { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(claim, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      return {
        path,
        recordServer: (pid) => writeFileSync(claim, `${process.pid} ${pid}\n`, { mode: 0o600 }),
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
