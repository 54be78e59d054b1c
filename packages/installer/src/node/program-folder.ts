import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFiles, type ProgramFile } from '../program-files.js';
import { programPaths } from './program-paths.js';

/** Folder of the robot program of this clone, image or package. */
export const shippedProgram = fileURLToPath(new URL('../../../../robots/micropython/', import.meta.url));

/** The program with the signature of the release, which its published command line has, and a clone or image does not. */
export const shippedSignedProgram = join(shippedProgram, 'signed.json');

/** Reads the robot program. */
export function programFolder(folder = shippedProgram): Promise<ProgramFile[]> {
  return programFiles(programPaths(folder).map((path) => [path, readFileSync(join(folder, path))] as const));
}
