/**
 * Compiles all sources and tests for a run of the tests, without checking types. A mocha process that resolves and transforms each source by itself takes 8 s
 * of a processor to load an end-to-end test; compiled it takes 2 s, and compiling everything takes no longer than one such process (docs/testing.md).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { filesBelow } from './files-below.mjs';

/**
 * Writes a module for each source and test of the clone to a folder, at the same path but for `.js`. They import each other there, and installed packages
 * from where these are installed; `import.meta` is that of the source, so that a module finds the files beside it; source maps lead to the sources.
 * @returns whether all could be compiled; the error is not printed, since mocha explains it better from the source
 */
export async function compileTests(root, folder) {
  const packages = ['packages', 'services', 'tools'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)));
  const folders = [...packages.flatMap((path) => [join(path, 'src'), join(path, 'test')]), join(root, 'test-e2e')].filter((path) => existsSync(path));
  const sources = filesBelow(folders, (path) => !/[/\\](?:node_modules|\.[^/\\]*)$/.test(path)).filter((path) => /(?<!\.d)\.tsx?$/.test(path));
  mkdirSync(folder, { recursive: true });
  try {
    await build({
      // Patterns of external paths are also read from here.
      absWorkingDir: folder,
      entryPoints: sources,
      outbase: root,
      outdir: folder,
      // Bundles of one module each: only then plugins see the imports, all of which stay imports.
      bundle: true,
      external: ['./*', '../*'],
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      // As Node resolves packages; esbuild's own list has the condition `module`. Node would not load what some have under `source`, TypeScript.
      conditions: process.features.require_module ? ['node-addons', 'module-sync'] : ['node-addons'],
      define: { 'import.meta.url': meta.url, 'import.meta.filename': meta.filename },
      keepNames: true,
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'silent',
      plugins: [imports(root, entriesOf(packages)), importMeta(sources)],
    });
    return true;
  } catch {
    return false;
  }
}

/** Source of each name that packages of the clone are imported by, the entry `source` of their exports. */
function entriesOf(packages) {
  return new Map(
    packages.flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      return Object.entries(exports).flatMap(([entry, { source }]) => (source === undefined ? [] : [[join(name, entry), join(path, source)]]));
    }),
  );
}

/** Leads imports of packages to their files. Relative imports are the same in the folder, but for those that name TypeScript. */
function imports(root, entries) {
  const installed = new Map();
  return {
    name: 'imports',
    setup(builder) {
      builder.onResolve({ filter: /^[^./]|\.tsx?$/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === 'entry-point' || pluginData === 'installed' || builtin.test(path)) return undefined;
        if (path.startsWith('.')) return { path: path.replace(/\.tsx?$/, '.js'), external: true };
        if (entries.has(path)) return { path: compiledBeside(importer, entries.get(path)), external: true };
        // pnpm links a package for those that declare it.
        const key = `${kind} ${path} ${relative(root, resolveDir).split(sep).slice(0, 2).join('/')}`;
        if (!installed.has(key)) installed.set(key, builder.resolve(path, { kind, importer, resolveDir, pluginData: 'installed' }));
        const { errors, path: file } = await installed.get(key);
        return { path: errors.length === 0 ? pathToFileURL(file).href : path, external: true };
      });
    },
  };
}

const builtin = /^node:|^crypto$/;

function compiledBeside(importer, source) {
  const path = relative(dirname(importer), source.replace(/\.tsx?$/, '.js')).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Constants of a compiled module in place of members of `import.meta`. */
const meta = { url: 'metaUrlOfSource', filename: 'metaFilenameOfSource' };

/** Gives each module the `import.meta` of its source. Only files that have it pass through the plugin, which takes a while. */
function importMeta(sources) {
  const texts = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]).filter(([, text]) => /import\.meta\.(?:url|filename)/.test(text)));
  return {
    name: 'import.meta',
    setup(builder) {
      builder.onLoad(
        { filter: new RegExp(`^(?:${[...texts.keys()].map((path) => path.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&')).join('|')})$`) },
        ({ path }) => ({
          // On the first line, so that lines keep their numbers.
          contents: texts
            .get(path)
            .replace(
              /^(?:#!.*\n)?/,
              (start) => `${start}const ${meta.url} = ${JSON.stringify(pathToFileURL(path).href)}, ${meta.filename} = ${JSON.stringify(path)};`,
            ),
          loader: path.endsWith('x') ? 'tsx' : 'ts',
        }),
      );
    },
  };
}
