/** Copies the robot program into an image or a package, in a built clone. `perch robot install` writes it to robots. */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function copyRobotProgram(root, to) {
  const { programPaths } = await import(pathToFileURL(join(root, 'packages/installer/dist/node/program-paths.js')).href);
  const from = join(root, 'robots/micropython');
  for (const path of programPaths(from)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}
