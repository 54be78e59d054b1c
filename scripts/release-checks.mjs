/** Checks of the staged packages: publint, attw, and what a tarball holds. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Files that every published package has. */
const required = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'];

/** Packs a staged package. @returns `{path, files, integrity}` @throws with npm's error */
export function pack({ folder }, to) {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', to], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack: ${stderr}${stdout}`);
  const packed = JSON.parse(stdout);
  const [{ filename, files, integrity }] = Array.isArray(packed) ? packed : Object.values(packed);
  return { path: join(to, filename.replace('@', '').replace('/', '-')), files: files.map(({ path }) => path), integrity };
}

/** @returns problems of a package and its tarball; empty if it can be published */
export async function problemsOf(root, { folder, name }, { path, files }) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const problems = required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`);
  const text = JSON.stringify(manifest);
  for (const word of ['workspace:', 'catalog:', '"source"', '"private"']) if (text.includes(word)) problems.push(`package.json contains ${word}`);
  const bytes = readFileSync(path);
  const { messages } = await publint({ strict: true, pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) } });
  problems.push(...messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`));
  // A package without exports, the command line, has no types to check.
  if (manifest.exports !== undefined) problems.push(...typeProblems(root, path));
  return problems.map((problem) => `${name}: ${problem}`);
}

/** As an ES module only: CommonJS loads it with import(), or with require in Node 22. */
function typeProblems(root, tarball) {
  const program = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const args = [program, tarball, '--profile', 'esm-only', '--no-color', '--no-emoji', '--format', 'ascii'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? [] : [`attw: ${stdout}${stderr}`];
}
