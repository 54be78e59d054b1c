/** `node scripts/tree.mjs [ROOT]`: at most 20 code files in a folder below `src`, at most 280 lines in a source that is not generated. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const filesMax = 20;
const linesMax = 280;
const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');

const problems = [];
let count = 0;
for (const parent of ['packages', 'services', 'tools']) {
  for (const name of foldersIn(parent)) if (foldersIn(`${parent}/${name}`).includes('src')) check(`${parent}/${name}/src`);
}
for (const problem of problems) process.stdout.write(`tree: ${problem}\n`);
process.stdout.write(`tree: ${count} source files, ${problems.length} problems\n`);
process.exitCode = problems.length === 0 && count > 0 ? 0 : 1;

function check(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name)).map(({ name }) => `${folder}/${name}`);
  count += files.length;
  if (files.length > filesMax) problems.push(`${folder}: ${files.length} code files, at most ${filesMax}`);
  for (const file of files) {
    const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length;
    if (lines > linesMax && !file.includes('generated')) problems.push(`${file}: ${lines} lines, at most ${linesMax}`);
  }
  for (const entry of entries) if (entry.isDirectory()) check(`${folder}/${entry.name}`);
}

function foldersIn(folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
