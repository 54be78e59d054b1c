import { readFileSync, statSync } from 'node:fs';

const bytesMax = 1 << 20;

/** Returns the content of a file without its final newline, or the problem, which contains none of the content. */
export function contentOfFile(path: string): { text: string } | { problem: string } {
  try {
    const stat = statSync(path);
    // Reading a pipe or a device may never end.
    if (!stat.isFile()) return { problem: 'does not name a regular file' };
    if (stat.size > bytesMax) return { problem: 'the file is larger than 1 MB' };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text.trim() === '' ? { problem: 'the file is empty' } : { text };
  } catch (error) {
    return { problem: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
}
