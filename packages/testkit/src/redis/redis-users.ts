import { execFileSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireRedisServer } from '@perch/local-redis';

const script = fileURLToPath(new URL('../../../../deploy/redis/write-users.sh', import.meta.url));

/** Writes the ACL file of `deploy/redis` for tests. @param passwords the variables that the script reads */
export function writeRedisUsers(aclfile: string, passwords: Readonly<Record<string, string>>): void {
  const { path, libraryPath } = requireRedisServer(process.env);
  const env = { ...process.env, ...passwords };
  // The script runs the `redis-server` on PATH to read its version.
  env['PATH'] = `${dirname(path)}${delimiter}${env['PATH'] ?? ''}`;
  if (libraryPath !== undefined) env['LD_LIBRARY_PATH'] = libraryPath;
  execFileSync('sh', [script, aclfile], { env });
}
