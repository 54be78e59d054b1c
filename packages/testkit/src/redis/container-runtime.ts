import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Checks where testcontainers looks for a runtime, without loading it, which takes a second of CPU in each test process. */
export function mayHaveContainers(env: NodeJS.ProcessEnv, home = homedir()): boolean {
  if (process.platform === 'win32' || (env['DOCKER_HOST'] ?? '') !== '') return true;
  const sockets = ['/var/run/docker.sock', join(home, '.docker/run/docker.sock'), join(home, '.docker/desktop/docker.sock')];
  for (const folder of [env['XDG_RUNTIME_DIR'] ?? '', `/run/user/${userInfo().uid}`]) if (folder !== '') sockets.push(join(folder, 'docker.sock'));
  return [...sockets, join(home, '.testcontainers.properties')].some((path) => existsSync(path));
}
