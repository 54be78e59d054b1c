/** The robot program as one file, as robots install an update: a line of JSON with paths and sizes, and the files one after the other. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedProgram } from './program-folder.js';
import { programPaths } from './program-paths.js';

export interface UpdateFile {
  /** As in the robot's `firmware`: `micropython-1.27.0 perch-<version>`. */
  version: string;
  bytes: Buffer;
  /** Hexadecimal. */
  sha256: string;
  /** Files that start the program, by path: an installation by cable writes them, and no update. The first line of `bytes` has their SHA-256. */
  start: Record<string, string>;
}

/**
 * Returns the same bytes for the same program on every machine.
 * @param folder with the folder `perch` in it @param change may replace the content of a file
 */
export function updateFile(folder = shippedProgram, change: (path: string, text: string) => string = (_, text) => text): UpdateFile {
  const read = programPaths(folder).map((path) => ({ path, text: change(path, readFileSync(join(folder, path), 'utf8')) }));
  const files = read.filter(({ path }) => path.startsWith('perch/'));
  const version = /^VERSION = "([^"]{1,64})"$/m.exec(files.find(({ path }) => path === 'perch/robot.py')?.text ?? '')?.[1];
  if (version === undefined) throw new Error(`${folder}: perch/robot.py has no VERSION`);
  const start = Object.fromEntries(read.filter(({ path }) => !path.includes('/')).map(({ path, text }) => [path, text]));
  const contents = files.map(({ text }) => Buffer.from(text));
  const head = `${JSON.stringify({
    files: files.map(({ path }, index) => [path, contents[index]!.byteLength]),
    start: Object.fromEntries(Object.entries(start).map(([path, text]) => [path, sha256Of(Buffer.from(text))])),
  })}\n`;
  const bytes = Buffer.concat([Buffer.from(head), ...contents]);
  return { version, bytes, sha256: sha256Of(bytes), start };
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
