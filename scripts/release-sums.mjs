/** Checksums of what a release publishes, in `SHA256SUMS` as `sha256sum` writes it. Jobs that publish run this without an installation. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Files and folders that are published or that say what is; others of the folder are not covered. */
const covered = ['packages.json', 'tarballs', 'python-dist', 'images.tar', 'chart', 'robot-program.json'];
const name = 'SHA256SUMS';

/** Writes the checksums. @returns the SHA-256 of the file itself, by which another job knows that it has the same @throws {Error} there is nothing to publish */
export async function writeSums(folder) {
  const files = coveredFiles(folder);
  if (files.length === 0) throw new Error(`${folder} has nothing to publish`);
  const lines = [];
  for (const file of files) lines.push(`${await sha256(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, name), lines.join(''));
  return sha256(join(folder, name));
}

/** @param expected what `writeSums` returned, or null where it is not known @returns what differs from the checksums: files that changed, are missing or were added */
export async function problemsOfSums(folder, expected = null) {
  if (!existsSync(join(folder, name))) return [`${name} is missing in ${folder}`];
  if (expected !== null && (await sha256(join(folder, name))) !== expected) return [`${name} is not the one of the job that built`];
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  const sums = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  const present = coveredFiles(folder);
  const problems = [...sums.keys()].filter((file) => !present.includes(file)).map((file) => `${file} is missing`);
  for (const file of present) {
    if (!sums.has(file)) problems.push(`${file} was added`);
    else if ((await sha256(join(folder, file))) !== sums.get(file)) problems.push(`${file} was changed`);
  }
  return problems;
}

function coveredFiles(folder) {
  return covered.filter((entry) => existsSync(join(folder, entry))).flatMap((entry) => filesIn(folder, entry));
}

function filesIn(folder, path) {
  if (!statSync(join(folder, path)).isDirectory()) return [path];
  return readdirSync(join(folder, path))
    .toSorted()
    .flatMap((entry) => filesIn(folder, `${path}/${entry}`));
}

async function sha256(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
