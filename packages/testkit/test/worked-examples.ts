/** The worked examples of CONTRIBUTING.md: a change as diffs, and the files that `generate` writes after it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WorkedExample {
  title: string;
  changes: { file: string; before: string; after: string }[];
  generated: string[];
}

/** Those headed `### Add …` that have diffs. A diff names its file in its first line; `…` at its beginning or end stands for the rest of a line. */
export function workedExamples(contributing: string): WorkedExample[] {
  const sections = contributing.split(/^### /m).slice(1);
  return sections
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      changes: [...section.matchAll(/^```diff\n# (\S+)\n(.*?)^```$/gms)].map(([, file, lines]) => ({
        file: file!,
        before: side(lines!, '-'),
        after: side(lines!, '+'),
      })),
      generated:
        /^```generated\n(.*?)^```$/ms
          .exec(section)?.[1]
          ?.split('\n')
          .filter((line) => line !== '') ?? [],
    }))
    .filter(({ changes }) => changes.length > 0);
}

/** Returns why the change cannot be made, or null. */
export function problemOf(root: string, { file, before }: WorkedExample['changes'][number]): string | null {
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  const found = readFileSync(join(root, file), 'utf8').split(before).length - 1;
  return found === 1 ? null : `${file} has ${found} times: ${before}`;
}

export function apply(root: string, { file, before, after }: WorkedExample['changes'][number]): void {
  const path = join(root, file);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(before, () => after),
  );
}

/** @param sign of the lines that one side has besides the common ones */
function side(lines: string, sign: '-' | '+'): string {
  return lines
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n')
    .replaceAll(/^…|…$/g, '');
}
