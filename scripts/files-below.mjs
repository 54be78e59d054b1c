import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the paths of the files below folders. Links are neither returned nor followed: `readdirSync` with `recursive` follows links to folders from
 * Node.js 22 on, so it does not end well where a link leads to a folder above it, as in node_modules of pnpm.
 * @param enters decides by its path whether a folder is read
 */
export function filesBelow(folders, enters = () => true) {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return enters(path) ? filesBelow([path], enters) : [];
      return entry.isFile() ? [path] : [];
    }),
  );
}
