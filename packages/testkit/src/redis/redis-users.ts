import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
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
  // A line on standard error says that the file is for Redis 7.0.
  execFileSync('sh', [script, aclfile], { env, stdio: 'pipe' });
}

/** Servers with the users of `deploy/redis`, and two more as an operator adds them: an administrator, and one for replicas, both without a password. */
export interface TestRedisUsers {
  admin: string;
  settings: Readonly<Record<string, string>>;
  /** Credentials of the user `perch` for a URL: `perch:password@`. */
  credentials: string;
}

/** With characters that a URL escapes. */
const password = 'secret/&%';

/** Writes the ACL file into the folder. Several servers may share it. */
export function testRedisUsers(folder: string): TestRedisUsers {
  const aclfile = join(folder, 'users.acl');
  writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: password });
  appendFileSync(aclfile, 'user admin on nopass ~* &* +@all\nuser replica on nopass -@all +psync +replconf +ping\n');
  return {
    admin: 'admin',
    settings: { aclfile, masteruser: 'replica', masterauth: 'any' },
    credentials: `perch:${encodeURIComponent(password)}@`,
  };
}
