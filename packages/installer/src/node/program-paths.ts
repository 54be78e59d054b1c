import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Returns the source files of the robot program, below its folder, in the same order on every machine; caches that Python writes are skipped. */
export function programPaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .toSorted((a, b) => (a < b ? -1 : 1));
}
