import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @param enters decides by its path whether a folder is read */
export function filesBelow(folders, enters) {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return enters(path) ? filesBelow([path], enters) : [];
      return [path];
    }),
  );
}
