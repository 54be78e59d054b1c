/** `node scripts/imports.mjs [ROOT]`: checks imports. Fails if a source was not read: dependency-cruiser would then report no violation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import { filesBelow } from './files-below.mjs';

process.chdir(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const parents = ['packages', 'services', 'tools', 'test-e2e'].filter((parent) => existsSync(parent));
const { output } = await cruise(parents, { ...options, ruleSet: { forbidden }, validate: true }, { alias: ownSources() });

const read = output.modules.map((module) => module.source).filter((source) => /^(packages|services|tools|test-e2e)\/.*\.tsx?$/.test(source));
const unread = sourceFiles(parents).filter((file) => !read.includes(file));
for (const { from, to, rule, cycle } of output.summary.violations) {
  const path = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
  console.log(`${rule.name}: ${from} -> ${path}`);
}
if (unread.length > 0) console.log(`not read: ${unread.join(', ')}`);
console.log(`imports: ${read.length} modules, ${output.summary.violations.length} violations, ${unread.length} unread`);
process.exit(output.summary.violations.length === 0 && unread.length === 0 && read.length > 0 ? 0 : 1);

/** The condition `source` would also apply to external packages, which do not ship theirs. */
function ownSources() {
  const files = ['packages', 'services', 'tools'].flatMap((parent) =>
    existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name, 'package.json')) : [],
  );
  return files.filter(existsSync).flatMap((file) => {
    const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.entries(exports).flatMap(([subpath, { source }]) =>
      source === undefined ? [] : [{ name: name + subpath.slice(1), alias: join(process.cwd(), dirname(file), source), onlyModule: true }],
    );
  });
}

/** By the paths that dependency-cruiser uses. */
function sourceFiles(folders) {
  const enters = (path) => !['node_modules', 'dist'].includes(basename(path)) && path !== 'tools/panels';
  return filesBelow(folders, enters).filter((path) => /(?<!\.d)\.tsx?$/.test(path));
}
