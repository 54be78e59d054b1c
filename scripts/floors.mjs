/**
 * Checks floors and doors: `node scripts/floors.mjs [ROOT]`.
 * Fails when a room that holds source was read as empty: without a TypeScript it knows, dependency-cruiser reads nothing and finds nothing wrong.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';

process.chdir(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const rooms = ['packages', 'services', 'tools', 'test-e2e'].filter((room) => existsSync(room));
const { output } = await cruise(rooms, { ...options, ruleSet: { forbidden }, validate: true }, { alias: ownSources() });

const read = output.modules.map((module) => module.source).filter((source) => /^(packages|services|tools|test-e2e)\/.*\.tsx?$/.test(source));
const unread = sourceFiles(rooms).filter((file) => !read.includes(file));
for (const { from, to, rule, cycle } of output.summary.violations) {
  const way = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
  console.log(`${rule.name}: ${from} -> ${way}`);
}
if (unread.length > 0) console.log(`not read: ${unread.join(', ')}`);
console.log(`floors: ${read.length} modules, ${output.summary.violations.length} violations, ${unread.length} unread`);
process.exit(output.summary.violations.length === 0 && unread.length === 0 && read.length > 0 ? 0 : 1);

/** What our rooms are imported by -> their source: by the condition `source`, others' packages would be looked for in sources that they do not ship. */
function ownSources() {
  const files = ['packages', 'services', 'tools'].flatMap((floor) =>
    existsSync(floor) ? readdirSync(floor).map((room) => join(floor, room, 'package.json')) : [],
  );
  return files.filter(existsSync).flatMap((file) => {
    const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.entries(exports).flatMap(([subpath, { source }]) =>
      source === undefined ? [] : [{ name: name + subpath.slice(1), alias: join(process.cwd(), dirname(file), source), onlyModule: true }],
    );
  });
}

/** Every TypeScript source below the rooms, as dependency-cruiser names them. */
function sourceFiles(folders) {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) || path === 'tools/panels' ? [] : sourceFiles([path]);
      return /(?<!\.d)\.tsx?$/.test(entry.name) ? [path] : [];
    }),
  );
}
