/**
 * `node scripts/tree.mjs [ROOT]`: at most 20 code files in a folder below `src`, at most 280 lines in a source that is not generated. A program for
 * robots, which a chip reads as text: files of at most 400 lines and 79 columns.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const filesMax = 20;
const linesMax = 280;
const robotLinesMax = 400;
const robotColumnsMax = 79;
const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..');

const problems = [];
let count = 0;
for (const parent of ['packages', 'services', 'tools']) {
  for (const name of foldersIn(parent)) if (foldersIn(`${parent}/${name}`).includes('src')) check(`${parent}/${name}/src`);
}
checkRobots('robots');
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

function checkRobots(folder) {
  for (const name of foldersIn(folder)) checkRobots(`${folder}/${name}`);
  for (const name of entriesIn(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => entry.name)) {
    const lines = readFileSync(join(root, folder, name), 'utf8')
      .trimEnd()
      .split('\n');
    count += 1;
    if (lines.length > robotLinesMax) problems.push(`${folder}/${name}: ${lines.length} lines, at most ${robotLinesMax}`);
    const wide = lines.findIndex((line) => line.length > robotColumnsMax);
    if (wide !== -1) problems.push(`${folder}/${name}: line ${wide + 1} has ${lines[wide].length} columns, at most ${robotColumnsMax}`);
  }
}

function foldersIn(folder) {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function entriesIn(folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
}
