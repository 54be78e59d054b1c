import { accessSync, constants } from 'node:fs';

/** Returns whether this process can execute the file; false if the file does not exist. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
