/** Files of the report. They are checked before the run starts, so that a mistyped path does not lose it. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export function requireWritable(option: string, file: string | null): void {
  if (file === null) return;
  const path = resolve(file);
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing?.isDirectory()) throw new Error(`${option} ${file}: is a folder`);
    if (existing === undefined && !statSync(dirname(path)).isDirectory()) throw new Error(`${option} ${file}: its folder is a file`);
    accessSync(existing === undefined ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`${option} ${file}: cannot be written (${code})`, { cause: error });
  }
}
