import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFiles, type ProgramFile } from '../program-files.js';

/** Folder of the robot program of this clone, image or package. */
export const shippedProgram = fileURLToPath(new URL('../../../../robots/micropython/', import.meta.url));

/** Reads the robot program. */
export function programFolder(folder = shippedProgram): Promise<ProgramFile[]> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return programFiles(files.map((file) => [relative(folder, file).replaceAll(sep, '/'), readFileSync(file)] as const));
}
