import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFiles, type ProgramFile } from '../program-files.js';
import { programPaths } from './program-paths.js';

/** Reads the robot program. */
export function programFolder(folder = fileURLToPath(new URL('../../../../robots/micropython/', import.meta.url))): Promise<ProgramFile[]> {
  return programFiles(programPaths(folder).map((path) => [path, readFileSync(join(folder, path))] as const));
}
