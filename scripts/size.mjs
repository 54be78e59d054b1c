/** `npm run size`: prints how large the tree is: source files and lines by folder and by kind, and words of documents. Generated files stand apart. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const kinds = ['product', 'tools and scripts', 'tests with fixtures', 'generated'];

/** @param path of a source file, relative to the clone */
export function kindOf(path) {
  if (/\.generated\.|_generated\./.test(path)) return 'generated';
  if (/^test-e2e\/|^packages\/testkit\/|\/tests?\/|\.test\./.test(path)) return 'tests with fixtures';
  return /^(?:tools|scripts|\.ci)\//.test(path) ? 'tools and scripts' : 'product';
}

/** @param files paths and texts @returns rows of a table, the last one with the totals */
export function sizesOf(files) {
  const folders = new Map();
  const totals = kinds.map(() => ({ files: 0, lines: 0 }));
  let words = 0;
  for (const { path, text } of files) {
    if (path.endsWith('.md')) words += text.split(/\s+/).filter(Boolean).length;
    if (!/\.(?:tsx?|mjs|py|lua)$/.test(path)) continue;
    const top = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
    if (!folders.has(top))
      folders.set(
        top,
        kinds.map(() => ({ files: 0, lines: 0 })),
      );
    const kind = kinds.indexOf(kindOf(path));
    for (const cell of [folders.get(top)[kind], totals[kind]]) {
      cell.files += 1;
      cell.lines += text.split('\n').length - 1;
    }
  }
  return { folders: [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1)), totals, words };
}

function tableOf({ folders, totals, words }) {
  const cells = (row) => row.map(({ files, lines }) => (files === 0 ? '' : `${files} / ${lines}`)).join(' | ');
  const rows = [...folders, ['all', totals]].map(([name, row]) => `| ${name} | ${cells(row)} |\n`);
  const files = totals.reduce((sum, each) => sum + each.files, 0);
  const lines = totals.reduce((sum, each) => sum + each.lines, 0);
  return `| files / lines | ${kinds.join(' | ')} |\n|---|${'--:|'.repeat(kinds.length)}\n${rows.join('')}\n${files} source files, ${lines} lines; ${words} words of documents\n`;
}

if (process.argv[1]?.endsWith('size.mjs')) {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { maxBuffer: 64_000_000 });
  const paths = stdout
    .toString()
    .split('\0')
    .filter((path) => /\.(?:tsx?|mjs|py|lua|md)$/.test(path));
  process.stdout.write(tableOf(sizesOf(paths.map((path) => ({ path, text: readFileSync(path, 'utf8') })))));
}
