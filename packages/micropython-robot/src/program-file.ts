/** The robot program as one file, as a robot installs it: a line of JSON with paths and sizes, and the files one after the other. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProgramFile {
  bytes: Buffer;
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

/** @param folder with the folder `perch` in it. `change` may replace the content of a file */
export function programFile(folder: string, change: (path: string, text: string) => string = (_, text) => text): ProgramFile {
  const files = pythonFiles(join(folder, 'perch'), 'perch').map((path) => ({
    path,
    bytes: Buffer.from(change(path, readFileSync(join(folder, path), 'utf8'))),
  }));
  const head = `${JSON.stringify({ files: files.map(({ path, bytes }) => [path, bytes.byteLength]) })}\n`;
  const bytes = Buffer.concat([Buffer.from(head), ...files.map((file) => file.bytes)]);
  return { bytes, size: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function pythonFiles(folder: string, path: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = `${path}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === '__pycache__' ? [] : pythonFiles(join(folder, entry.name), inside);
      return entry.name.endsWith('.py') ? [inside] : [];
    });
}
